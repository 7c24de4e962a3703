/**
 * The way of one call: inputs in the order of the method's parameters, then attempts, each with a credential asked for
 * anew, and of each answer either its body or an error. openapi-fetch writes the request and reads the answer.
 */
import createFetchClient from 'openapi-fetch';
import { endpoints, type OperationId } from '../generated/client.ts';
import { credentialHeader } from './credential.ts';
import { withDeadline } from './deadline.ts';
import {
  ApiError,
  ConnectionError,
  type ErrorBody,
  type FailedCall,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
import { readRetryAfter, withRetries } from './retry.ts';
import { type ClientSettings, requireTimeout } from './settings.ts';

/** What a single call may be given beside its input. */
export interface CallOptions {
  /** Ends the call, whatever it waits for; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's own `timeoutSeconds`. */
  readonly timeoutSeconds?: number | undefined;
}

/** openapi-fetch, where only the running call tells which operation it is. */
type Send = (method: string, path: string, init: object) => Promise<FetchResult>;

interface FetchResult {
  readonly data?: string;
  readonly error?: unknown;
  readonly response: Response;
}

/** Calls an operation with the inputs of its method in `Operations`. */
export async function callOperation(
  operationId: OperationId,
  inputs: readonly unknown[],
  settings: ClientSettings,
): Promise<unknown> {
  const { method, path, base, credential, hasRequestBody } = endpoints[operationId];
  const names = [...path.matchAll(/\{\w+\}/g)].map(([braced]) => braced.slice(1, -1));
  const pathParameters = Object.fromEntries(names.map((name, index) => [name, requireSegment(name, inputs[index])]));
  const [body, options] = hasRequestBody ? inputs.slice(names.length) : [undefined, inputs[names.length]];
  const { signal: caller, timeoutSeconds = settings.timeoutSeconds } = (options ?? {}) as CallOptions;

  const call: FailedCall = { operationId, requestId: crypto.randomUUID() };
  const seconds = requireTimeout(timeoutSeconds);
  const client = createFetchClient({ baseUrl: settings.addresses[base], fetch: settings.fetch });
  const send = client.request as unknown as Send;
  return withDeadline({ seconds, caller, timeout: new TimeoutError(call, seconds) }, ({ signal, deadline }) =>
    withRetries(
      async () => {
        const headers = {
          ...(await credentialHeader(settings.credentials, credential)),
          'x-request-id': call.requestId,
        };
        const init = { params: { path: pathParameters }, body, headers, signal, redirect: 'manual', parseAs: 'text' };
        const result = await send(method, path, init).catch((cause: unknown) => {
          throw new ConnectionError(call, cause);
        });
        return readAnswer(call, result);
      },
      { method, retries: settings.retries, signal, deadline },
    ),
  );
}

function readAnswer({ operationId, requestId }: FailedCall, { data, error, response }: FetchResult): unknown {
  const { status, ok, headers } = response;
  const call = { operationId, requestId: headers.get('x-request-id') ?? requestId };
  const head = { status, retryAfterSeconds: readRetryAfter(headers.get('retry-after')) };
  if (isErrorBody(error)) throw new ApiError(call, head, error);
  if (!ok) throw new UnexpectedAnswerError(call, head);
  try {
    return JSON.parse(data ?? '');
  } catch {
    throw new UnexpectedAnswerError(call, head);
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  const { error_code: code, error_message: message } = (body ?? {}) as Partial<ErrorBody>;
  return typeof code === 'string' && typeof message === 'string';
}

/** A path segment of dots would be taken for a step to another path, and an absent one would leave the template. */
function requireSegment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return value;
  throw new TypeError(`${name} must be a string that is neither empty nor "." nor "..".`);
}
