import { createQuerySerializer } from 'openapi-fetch';
import type { Endpoint } from './endpoint.ts';

/** The options of a single call. */
export interface CallOptions {
  /** Aborts the call at any point; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's own `timeoutSeconds`. */
  readonly timeoutSeconds?: number | undefined;
}

type ParameterValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Converts the arguments of a method for openapi-fetch: path parameters, the object of other parameters, body, options.
 * @throws {TypeError} if an argument cannot be sent; the message names it
 */
export function readRequest(endpoint: Endpoint, inputs: readonly unknown[]) {
  const { pathParameters = {}, query, headers: headerNames = [], requestMediaType, accept } = endpoint;
  const rest = [...inputs];
  const path: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(pathParameters)) path[name] = requireSegment(name, type, rest.shift());
  const parameters = (((query ?? endpoint.headers) ? rest.shift() : undefined) ?? {}) as ParameterValues;
  const body = requestMediaType === undefined ? undefined : rest.shift();
  const options = (rest.shift() ?? {}) as CallOptions;

  const headers = new Headers(accept === undefined ? {} : { accept });
  for (const name of headerNames) {
    const value = parameters[name];
    // An array is joined with commas, the style of headers.
    if (value !== undefined) headers.set(name, String(value));
  }
  const mediaType = mediaTypeOf(requestMediaType, body);
  if (mediaType !== undefined) headers.set('content-type', mediaType);
  const isStream = body instanceof ReadableStream;
  return {
    init: {
      params: { path, query: parameters },
      querySerializer: (values: ParameterValues) => serializeQuery(query, values),
      body,
      bodySerializer: (value: unknown) => (/[/+]json$/.test(requestMediaType ?? '') ? JSON.stringify(value) : value),
      ...(isStream && { duplex: 'half' }),
    },
    headers,
    /** Whether the body can be sent again. */
    isRepeatable: !isStream,
    options,
  };
}

/** A path segment of dots would lead to another path, and an absent one would leave the template unfilled. */
function requireSegment(name: string, type: string, value: unknown): unknown {
  if (typeof value === type && !/^\.{0,2}$/.test(String(value))) return value;
  throw new TypeError(`${name} must be a ${type} that is neither empty nor "." nor "..".`);
}

function mediaTypeOf(described: string | undefined, body: unknown): string | undefined {
  if (described === undefined || body === undefined) return undefined;
  if (described !== '*/*') return described;
  if (body instanceof Blob && body.type !== '') return body.type;
  throw new TypeError('body must be a Blob that has the media type to send as its type.');
}

/** Serialises each parameter in its own style: openapi-fetch supports one style per call. */
function serializeQuery(query: Endpoint['query'] = {}, values: ParameterValues): string {
  return Object.entries(query)
    .map(([name, { explode }]) => {
      const style = { style: 'form', explode } as const;
      return createQuerySerializer({ array: style, object: style })({ [name]: values[name] });
    })
    .filter((pair) => pair !== '')
    .join('&');
}
