/** Requests of an operation that follow from the document: a valid one, and those that it refuses. */
import type { Operation, Parameter, Schema } from '../../../contract/document/index.ts';
import { sampleOf } from '../../../contract/dimensions/samples.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { pairsOfParameter, pathTextOf } from '../../../contract/oracle/parameters.ts';

/** A request, made from the document's examples, as the arguments of the tests' `api.call`. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  /** Headers of required parameters and of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** A request that is valid if the document's examples are. */
export function validRequestOf({ method, path, parameters, requestBody }: Operation): ValidRequest {
  const requiredIn = (place: Parameter['in']) =>
    parameters.filter((parameter) => parameter.required && parameter.in === place);
  const pairsIn = (place: Parameter['in']) =>
    requiredIn(place).flatMap((parameter) => [...(pairsOfParameter(parameter, valueOf(parameter)) ?? [])]);
  const inPath = new Map(
    requiredIn('path').map((parameter) => [parameter.name, pathTextOf(parameter, valueOf(parameter))]),
  );
  const query = new URLSearchParams(pairsIn('query').map(([name, text]): [string, string] => [name, text]));
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = media && (Object.values(media.examples)[0]?.value ?? media.schema.example);
  const isJsonBody = mediaType !== undefined && isJson(mediaType);
  return {
    method: method.toUpperCase(),
    path:
      path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => inPath.get(name) ?? '') +
      (query.size > 0 ? `?${query.toString()}` : ''),
    headers: {
      ...Object.fromEntries(pairsIn('header')),
      ...(mediaType !== undefined && mediaType !== 'application/json' && { 'content-type': mediaType }),
    },
    body: mediaType === undefined || isJsonBody ? example : typeof example === 'string' ? example : 'x',
  };
}

function valueOf({ example, schema }: Parameter): unknown {
  return example ?? sampleOf(schema);
}

/** Whether tests of a response follow from the document alone; `test/contract/documented-responses.test.ts` has them. */
export function isDerived(operation: Operation, status: string): boolean {
  const { security, requiredPermission, requiredFeature } = operation;
  if (status === '401') return security.length > 0;
  if (status === '403') return requiredPermission !== null || requiredFeature !== null;
  return ['429', '500', '503'].includes(status) || Object.keys(refusedRequestsOf(operation, status)).length > 0;
}

/** Requests that an operation refuses with a status, whoever sends them, each by what is wrong with it. */
export function refusedRequestsOf(operation: Operation, status: string): Readonly<Record<string, ValidRequest>> {
  const { requestBody, parameters } = operation;
  const valid = validRequestOf(operation);
  const sending = (body: string, mediaType: string): ValidRequest => ({
    ...valid,
    headers: { ...valid.headers, 'content-type': mediaType },
    body,
  });
  const mediaTypes = Object.keys(requestBody?.content ?? {});
  if (status === '413' && requestBody && Number.isFinite(requestBody.maxBytes))
    return { 'a body of one byte too many': sending(' '.repeat(requestBody.maxBytes + 1), mediaTypes[0] ?? '') };
  if (status === '415' && requestBody) return { 'a body of another media type': sending('x', 'text/x-unsupported') };
  if (status !== '400') return {};
  const json = mediaTypes.find(isJson);
  const limited = parameters.filter(({ schema }) => isLimited(schema.items ?? schema));
  return {
    ...(json !== undefined && { 'a body that is not JSON': sending('{', json) }),
    ...(json === undefined && requestBody?.required === true && { 'no body': { ...valid, body: '' } }),
    ...Object.fromEntries(
      limited.map((parameter) => [
        `a value that the ${parameter.in} parameter ${parameter.name} cannot have`,
        withValue(operation, parameter, 'no-such-value'),
      ]),
    ),
  };
}

/** Whether some texts are invalid values. */
function isLimited({ enum: values, type = '' }: Schema): boolean {
  return values !== undefined || ['integer', 'number', 'boolean'].includes(type);
}

function withValue(operation: Operation, { name, in: place }: Parameter, value: string): ValidRequest {
  const valid = validRequestOf(operation);
  if (place === 'path') return validRequestOf({ ...operation, path: operation.path.replace(`{${name}}`, value) });
  if (place === 'header') return { ...valid, headers: { ...valid.headers, [name]: value } };
  const pair = `${encodeURIComponent(name)}=${value}`;
  return { ...valid, path: `${valid.path}${valid.path.includes('?') ? '&' : '?'}${pair}` };
}
