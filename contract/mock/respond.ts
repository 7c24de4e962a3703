import { STATUS_CODES, type ServerResponse } from 'node:http';
import { send } from '../cli/serve.ts';
import { mockHeader } from '../oracle/documented-response.ts';
import { isJson } from '../oracle/media-type.ts';
import type { DocumentedExample } from './documented-examples.ts';
import { type Preferences, readPreferences } from './prefer.ts';
import { isDeepStrictEqual } from 'node:util';

/** The parts of a request that determine its response. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly prefer: string | undefined;
  readonly body: unknown;
  readonly requestId: string;
  /** Whether it is of this API. */
  readonly isOwn: boolean;
}

/** For an operation without a documented success. */
const undocumentedSuccess: MockedResponse = { status: 200, mediaType: undefined, body: undefined, headers: {} };

/**
 * Responds with an example of the document. A preference without a matching example gets status 500: if it were
 * ignored, as in RFC 7240, a mistyped preference would look like a success.
 */
export function respondWithExample(
  response: ServerResponse,
  examples: readonly DocumentedExample[],
  { operationId, prefer, body, requestId, isOwn }: ExampleRequest,
): void {
  const preferences = readPreferences(prefer);
  const isAsked = choosingPreferences.some((name) => preferences.has(name));
  const chosen = chooseExample(examples, preferences, body) ?? (isAsked ? undefined : undocumentedSuccess);
  if (!chosen) {
    sendExample(response, noSuchExample(operationId, examples, isOwn), requestId);
    return;
  }
  const applied = choosingPreferences.flatMap((name) => {
    const value = preferences.get(name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  sendExample(response, chosen, requestId, applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {});
}

/** What is sent: an example, or a refusal. */
export type MockedResponse = Pick<DocumentedExample, 'status' | 'mediaType' | 'body' | 'headers'>;

/** Sends a response as it is documented. */
export function sendExample(
  response: ServerResponse,
  { status, headers, mediaType, body }: MockedResponse,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const hasContent = mediaType !== undefined && ![204, 205, 304].includes(status);
  const content = hasContent ? { mediaType, body: bytesOf(mediaType, body) } : undefined;
  // Checks of credentials that the mock cannot tell from valid ones are not run.
  send(response, status, { [mockHeader]: 'any credential', ...headers, 'X-Request-Id': requestId, ...more }, content);
}

function bytesOf(mediaType: string, body: unknown): string | Buffer {
  if (Buffer.isBuffer(body)) return body;
  return isJson(mediaType) || typeof body !== 'string' ? JSON.stringify(body) : body;
}

/**
 * An error without documentation: in this API's form, or as a problem (RFC 9457).
 * @param details what `error_details` or the extensions of the problem contain
 */
export function errorOf(
  isOwn: boolean,
  status: number,
  code: string,
  message: string,
  details?: object,
): MockedResponse {
  if (isOwn) {
    const body = { error_code: code, error_message: message, ...(details && { error_details: details }) };
    return { status, mediaType: 'application/json', headers: {}, body };
  }
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, ...details };
  return { status, mediaType: 'application/problem+json', headers: {}, body };
}

function noSuchExample(operationId: string, examples: readonly DocumentedExample[], isOwn: boolean): MockedResponse {
  const { headers = {} } = examples.find(({ status }) => status === 500) ?? {};
  const message = `The mock has no such example of ${operationId}. Ask with Prefer for one of`;
  const error = errorOf(
    isOwn,
    500,
    'service.internal-error',
    `${message} ${isOwn ? 'error_details.examples' : 'examples'}.`,
    { field: 'Prefer', examples: examples.map(({ status, name }) => `code=${status}, example=${name}`) },
  );
  return { ...error, headers };
}

/** The preferences that choose an example. */
export const choosingPreferences = ['code', 'example'] as const;

/**
 * The example that a request asks for with `Prefer: code=403, example=feature-not-enabled`; undefined if there is none.
 * A request without preferences gets a success. Of several matches, prefers one that contains the values of the
 * request's body, so that an update returns the saved value; else the first that is as documented.
 */
export function chooseExample(
  examples: readonly DocumentedExample[],
  preferences: Preferences,
  body: unknown,
): DocumentedExample | undefined {
  const [code, name] = choosingPreferences.map((preference) => preferences.get(preference));
  const chosen = code !== undefined || name !== undefined;
  const success = examples.some(({ status }) => status < 300) ? 300 : 400;
  const matching = examples.filter(
    (example) =>
      (chosen || example.status < success) &&
      (code === undefined || code === String(example.status)) &&
      (name === undefined || name === example.name),
  );
  const repeating = matching.find((example) => repeats(example.body, body));
  if (repeating || chosen) return repeating ?? matching[0];
  return matching.find(({ isSound }) => isSound) ?? matching[0]?.generated;
}

function repeats(shown: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null || typeof shown !== 'object' || shown === null) return false;
  return Object.entries(sent).every(([field, value]) => isDeepStrictEqual(Reflect.get(shown, field), value));
}
