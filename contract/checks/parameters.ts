import type { DocumentedOperation, ParameterObject } from '../document/document.ts';
import type { CheckContext, CredentialName } from '../run/model.ts';
import type { Headers } from './credential-scheme.ts';
import { sampleOf } from './schema/sample.ts';

/** The credentials entries that name things which exist, by the path of the thing and its path parameter. */
const identifiers: Record<string, Record<string, CredentialName>> = { '/cases/{id}': { id: 'case_id' } };

/** The valid values of an operation's parameters. */
export interface Parameters {
  readonly needs: readonly CredentialName[];
  /** The required parameters of which the document gives no value. */
  readonly lacks: readonly string[];
  readonly headers: Headers;
  /** The path with these values in place of the valid ones, and with the required query. */
  path(context: CheckContext, values: Readonly<Record<string, string>>): string;
}

/** The parameters of an operation with values from the credentials and else from the document. */
export function parametersOf({ path, parameters = [] }: DocumentedOperation): Parameters {
  const thing = Object.keys(identifiers).find((start) => path === start || path.startsWith(`${start}/`));
  const known = identifiers[thing ?? ''] ?? {};
  const required = parameters.filter((parameter) => parameter.required === true && !isKnown(parameter));
  const valued = required.flatMap((parameter) => {
    const value = valueOf(parameter);
    return value === undefined ? [] : [{ ...parameter, value }];
  });
  const query = valued.filter((parameter) => parameter.in === 'query');
  const queryText = query
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return {
    needs: Object.values(known),
    lacks: required.filter((parameter) => valueOf(parameter) === undefined).map(({ name }) => name),
    headers: valued.flatMap(({ in: place, name, value }) => {
      if (place === 'header') return [[name, value] as const];
      return place === 'cookie' ? [['Cookie', `${name}=${value}`] as const] : [];
    }),
    path: (context, values) =>
      path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
        const credential = known[name];
        const sound = credential
          ? () => context.credential(credential)
          : () => valued.find((v) => v.name === name)?.value;
        return values[name] ?? encodeURIComponent(sound() ?? '');
      }) + (queryText === '' ? '' : `?${queryText}`),
  };

  function isKnown(parameter: ParameterObject): boolean {
    return parameter.in === 'path' && known[parameter.name] !== undefined;
  }
}

function valueOf({ example, schema }: ParameterObject): string | undefined {
  const value = example ?? schema.example ?? (schema.format === undefined ? undefined : sampleOf(schema));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
