import type { ServerResponse } from 'node:http';
import { send } from '../cli/http.ts';
import { isJson } from '../conformance/media-type.ts';
import { choosingPreferences, chooseExample } from './choose-example.ts';
import type { DocumentedExample } from './documented-examples.ts';
import { readPreferences } from './prefer.ts';

/** The parts of a request that determine its response. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly prefer: string | undefined;
  readonly body: unknown;
  readonly requestId: string;
}

/**
 * Responds with an example of the document. A preference without a matching example gets status 500: if it were
 * ignored, as in RFC 7240, a mistyped preference would look like a success.
 */
export function respondWithExample(
  response: ServerResponse,
  examples: readonly DocumentedExample[],
  { operationId, prefer, body, requestId }: ExampleRequest,
): void {
  const preferences = readPreferences(prefer);
  const chosen = chooseExample(examples, preferences, body);
  if (!chosen) {
    sendExample(response, noSuchExample(operationId, examples), requestId);
    return;
  }
  const applied = choosingPreferences.flatMap((name) => {
    const value = preferences.get(name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  sendExample(response, chosen, requestId, applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {});
}

/** Sends an example as it is documented. */
export function sendExample(
  response: ServerResponse,
  { status, headers, mediaType, body }: DocumentedExample,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const content =
    mediaType === undefined
      ? undefined
      : { mediaType, body: isJson(mediaType) || typeof body !== 'string' ? JSON.stringify(body) : body };
  send(response, status, { ...headers, 'X-Request-Id': requestId, ...more }, content);
}

function noSuchExample(operationId: string, examples: readonly DocumentedExample[]): DocumentedExample {
  const { headers = {} } = examples.find(({ status }) => status === 500) ?? {};
  return {
    status: 500,
    name: 'no-such-example',
    mediaType: 'application/json',
    headers,
    body: {
      error_code: 'service.internal-error',
      error_message: `The mock has no such example of ${operationId}. Ask with Prefer for one of error_details.examples.`,
      error_details: {
        field: 'Prefer',
        examples: examples.map(({ status, name }) => `code=${status}, example=${name}`),
      },
    },
  };
}
