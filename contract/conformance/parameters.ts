import type { Operation, Parameter } from '../document/model.ts';
import type { HeaderFields } from './header-fields.ts';
import { isReadable } from './parameter-style.ts';
import { schemaViolations } from './schema-violations.ts';
import { valueOfParameter } from './text-value.ts';

/** All violations of the document in a request's parameters. */
export function parameterViolations(
  operation: Operation,
  path: string,
  headers: HeaderFields,
): { parameter: Parameter; message: string }[] {
  const [pathText = '', queryText = ''] = path.split(/\?(.*)/s);
  const query = new URLSearchParams(queryText);
  const inPath = pathValues(operation.path, pathText);
  return operation.parameters.flatMap((parameter) => {
    const { name, in: location, required, schema } = parameter;
    if (location === 'cookie') return [];
    const texts = { path: inPath[name] ?? [], query: query.getAll(name), header: headers[name.toLowerCase()] ?? [] }[
      location
    ];
    if (!isReadable(parameter)) return [];
    const what = `the ${location} parameter ${name}`;
    const messages =
      texts.length > 0
        ? schemaViolations(what, schema, valueOfParameter(parameter, texts), false)
        : required
          ? [`${what} is missing`]
          : [];
    return messages.map((message) => ({ parameter, message }));
  });
}

function pathValues(template: string, path: string): Record<string, string[]> {
  const segments = path.split('/');
  return Object.fromEntries(
    template.split('/').flatMap((part, index) => {
      const [, name] = /^\{(.+)\}$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, [decoded(segments[index] ?? '')]]];
    }),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
