import type { Endpoint, ResponseForm } from './endpoint.ts';
import { ApiError, type ErrorBody, type FailedCall, UnexpectedResponseError } from './errors.ts';
import type { Call } from './generated/client.ts';
import { readRetryAfter } from './retry.ts';

/** openapi-fetch's representation of a response. */
export interface FetchResult {
  readonly data?: Blob;
  readonly error?: unknown;
  readonly response: Response;
}

/** A documented success. */
export type ReadResponse = Awaited<ReturnType<Call<unknown>['withResponse']>>;

/**
 * Reads a response.
 * @throws {ApiError} if it is an error of the service
 * @throws {UnexpectedResponseError} if the document does not describe it
 */
export async function readResponse(endpoint: Endpoint, sent: FailedCall, result: FetchResult): Promise<ReadResponse> {
  const { data = new Blob([]), error, response } = result;
  const { status, headers } = response;
  const call = { operationId: sent.operationId, requestId: headers.get('x-request-id') ?? sent.requestId };
  const head = { status, retryAfterSeconds: readRetryAfter(headers.get('retry-after')) };
  if (isErrorBody(error)) throw new ApiError(call, head, error);
  try {
    return {
      data: await readBody(endpoint.responses[status], data, headers.get('content-type') ?? ''),
      status,
      headers,
    };
  } catch {
    throw new UnexpectedResponseError(call, head);
  }
}

/** @throws if the body does not have this form */
async function readBody(form: ResponseForm | undefined, body: Blob, contentType: string): Promise<unknown> {
  if (form === undefined) throw new TypeError('The status is not described.');
  if (form.as === 'none') return undefined;
  if (form.as === 'json') return JSON.parse(await body.text()) as unknown;
  const [mediaType = ''] = contentType.toLowerCase().split(';');
  if (!form.mediaTypes.some((described) => isOf(described, mediaType.trim())))
    throw new TypeError('The media type is not described.');
  return form.as === 'text' ? body.text() : body;
}

/** Whether a media type is the described one, or in the described range. */
function isOf(described: string, mediaType: string): boolean {
  const isInRange = described.endsWith('/*') && mediaType.startsWith(described.slice(0, -1));
  return isInRange || described === '*/*' || described === mediaType;
}

function isErrorBody(body: unknown): body is ErrorBody {
  const { error_code: code, error_message: message } = (body ?? {}) as Partial<ErrorBody>;
  return typeof code === 'string' && typeof message === 'string';
}
