import { textsOfParameter } from '../conformance/text-value.ts';
import type { Operation, Parameter } from '../document/model.ts';
import type { CheckContext, CredentialName } from '../run/model.ts';
import type { Headers } from './credential-scheme.ts';
import { sampleOf } from './schema/sample.ts';

/** The credentials entries that name things which exist, by the path of the thing and its path parameter. */
const identifiers: Record<string, Record<string, CredentialName>> = { '/cases/{id}': { id: 'case_id' } };

/** The valid values of an operation's parameters. */
export interface Parameters {
  readonly needs: readonly CredentialName[];
  /** The required parameters for which the document gives no value. */
  readonly lacks: readonly string[];
  readonly headers: Headers;
  /** The path with these values in place of the valid ones, and with the required query. */
  path(context: Pick<CheckContext, 'credential'>, values: Readonly<Record<string, string>>): string;
}

/** The credentials entries that name what the path parameters of an operation identify. */
export function identifiersOf({ path }: Operation): Record<string, CredentialName> {
  const thing = Object.keys(identifiers).find((start) => path === start || path.startsWith(`${start}/`));
  return identifiers[thing ?? ''] ?? {};
}

/** The parameters of an operation with values from the credentials and else from the document. */
export function parametersOf(operation: Operation): Parameters {
  const { path, parameters } = operation;
  const known = identifiersOf(operation);
  const required = parameters.filter((parameter) => parameter.required && !isKnown(parameter));
  const valued = required.flatMap((parameter) => {
    const texts = textsOfParameter(parameter, valueOf(parameter));
    return texts === undefined ? [] : [{ ...parameter, texts }];
  });
  const queryText = queryOf(valued.filter((parameter) => parameter.in === 'query'));
  return {
    needs: Object.values(known),
    lacks: required.filter((parameter) => !valued.some(({ name }) => name === parameter.name)).map(({ name }) => name),
    headers: valued.flatMap(({ in: place, name, texts: [value = ''] }): Headers => {
      if (place === 'header') return [[name, value]];
      return place === 'cookie' ? [['Cookie', `${name}=${value}`]] : [];
    }),
    path: (context, values) =>
      path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
        const credential = known[name];
        const sound = () =>
          credential ? context.credential(credential) : valued.find((v) => v.name === name)?.texts[0];
        return values[name] ?? encodeURIComponent(sound() ?? '');
      }) + (queryText === '' ? '' : `?${queryText}`),
  };

  function isKnown(parameter: Parameter): boolean {
    return parameter.in === 'path' && known[parameter.name] !== undefined;
  }
}

/** A query string of parameters, each with the texts that it is sent as. */
export function queryOf(parameters: readonly { readonly name: string; readonly texts: readonly string[] }[]): string {
  return parameters
    .flatMap(({ name, texts }) => texts.map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`))
    .join('&');
}

/** A valid value of a parameter, if the document gives one. */
export function valueOf({ example, schema }: Parameter): unknown {
  const isTelling = schema.format !== undefined || (schema.enum ?? schema.default) !== undefined;
  return example ?? schema.example ?? (isTelling ? sampleOf(schema) : undefined);
}
