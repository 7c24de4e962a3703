import { isJson } from '../oracle/media-type.ts';
import { schemaViolations } from '../oracle/schema.ts';
import type { ApiDocument, MediaType, Operation, Parameter, RequestBody } from '../document/model.ts';
import type { ConfiguredChecks, OperationValues } from './configuration.ts';

/** Applies to every operation that has the parameter. */
const anyOperation = '*';
const places = ['path', 'query', 'header', 'cookie'] as const;

/**
 * Replaces the document's examples with the tester's values, and puts those security alternatives first for which the
 * tester has credentials.
 * @throws {UsageError} if the document has no such operation, parameter, body or scheme, or does not allow a value
 */
export function withGivenValues(document: ApiDocument, configured: ConfiguredChecks): ApiDocument {
  const { values, security, 'other-security': others = {}, fail } = configured;
  const named = Object.entries({ security, 'other-security': others });
  for (const [part, name] of named.flatMap(([each, given]) =>
    Object.keys(given).map((scheme) => [each, scheme] as const),
  ))
    if (!document.securitySchemes[name])
      fail(
        [part, name],
        `${part}.${name} is not a supported security scheme of the document; known are ${list(Object.keys(document.securitySchemes))}`,
      );
  for (const [key, given] of Object.entries(values)) checkValues(document, key, given, fail);
  const operations = document.operations.map((operation) => {
    const own = Object.entries(values).filter(([key]) => namesOf(operation).includes(key));
    const all = [values[anyOperation] ?? {}, ...own.map(([, each]) => each)];
    return withAvailableSecurity(all.reduce(withValues, operation), Object.keys(security));
  });
  return { ...document, operations };
}

function namesOf({ operationId, method, path }: Operation): string[] {
  return [operationId, `${method.toUpperCase()} ${path}`];
}

function checkValues(document: ApiDocument, key: string, given: OperationValues, fail: ConfiguredChecks['fail']): void {
  const isAny = key === anyOperation;
  const operations = document.operations.filter((operation) => isAny || namesOf(operation).includes(key));
  if (operations.length === 0) {
    const known = list(document.operations.map(({ operationId }) => operationId));
    fail(['values', key], `values.${key} is not an operation of the document; known are ${known}`);
  }
  for (const place of places)
    for (const [name, value] of Object.entries(given[place] ?? {})) {
      const parameters = operations.flatMap((each) => each.parameters).filter((each) => is(each, place, name));
      const what = `values.${key}.${place}.${name}`;
      if (parameters.length === 0) {
        const known = operations.flatMap((each) => each.parameters).filter((each) => each.in === place);
        const names = list([...new Set(known.map((each) => each.name))]);
        fail(['values', key, place, name], `${what} is not a ${place} parameter there; known are ${names}`);
      }
      for (const { schema } of parameters)
        for (const fault of schemaViolations(what, schema, value, true))
          fail(['values', key, place, name], `has a value that the document does not allow: ${fault}`);
    }
  if (!('body' in given)) return;
  const [requestBody] = operations.map((operation) => operation.requestBody);
  if (isAny || !requestBody)
    return fail(['values', key, 'body'], `values.${key}.body is for an operation without a body`);
  const { schema } = bodyMedia(requestBody)?.[1] ?? {};
  for (const fault of schema ? schemaViolations(`values.${key}.body`, schema, given.body, true) : [])
    fail(['values', key, 'body'], `has a value that the document does not allow: ${fault}`);
}

function withValues(operation: Operation, given: OperationValues): Operation {
  const parameters = operation.parameters.map((parameter) => {
    const found = Object.entries(given[parameter.in] ?? {}).find(([name]) => is(parameter, parameter.in, name));
    return found ? { ...parameter, value: found[1] } : parameter;
  });
  const { requestBody } = operation;
  const withBody = 'body' in given && requestBody ? { requestBody: withExample(requestBody, given.body) } : {};
  return { ...operation, parameters, ...withBody };
}

/** The body to send: JSON if there is any, else the first media type. */
function bodyMedia({ content }: RequestBody): [mediaType: string, media: MediaType] | undefined {
  const all = Object.entries(content);
  return all.find(([mediaType]) => isJson(mediaType)) ?? all[0];
}

function withExample(requestBody: RequestBody, value: unknown): RequestBody {
  const [mediaType, media] = bodyMedia(requestBody) ?? [];
  if (mediaType === undefined || !media) return requestBody;
  const others = Object.entries(requestBody.content).filter(([type]) => type !== mediaType);
  const given: MediaType = { ...media, examples: { given: { value } } };
  return { ...requestBody, content: { [mediaType]: given, ...Object.fromEntries(others) } };
}

function withAvailableSecurity(operation: Operation, available: readonly string[]): Operation {
  const isAvailable = (names: readonly string[]) => names.every((name) => available.includes(name));
  const { security } = operation;
  return {
    ...operation,
    security: [...security.filter(isAvailable), ...security.filter((names) => !isAvailable(names))],
  };
}

function is(parameter: Parameter, place: Parameter['in'], name: string): boolean {
  const same = (text: string) => (place === 'header' ? text.toLowerCase() : text);
  return parameter.in === place && same(parameter.name) === same(name);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 20).join(', ');
  return names.length === 0 ? 'none' : names.length > 20 ? `${shown}, …` : shown;
}
