/** The client: a call makes attempts, each with a new credential. openapi-fetch writes requests and reads responses. */
import createFetchClient from 'openapi-fetch';
import { type Call, endpoints, type OperationId, type Operations } from './generated/client.ts';
import { credentialHeaders } from './credential.ts';
import type { Endpoint } from './endpoint.ts';
import { ConnectionError, type FailedCall, TimeoutError } from './errors.ts';
import { type CallOptions, readRequest } from './request.ts';
import { type FetchResult, readResponse, type ReadResponse } from './response.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import { type ClientOptions, type ClientSettings, requireTimeout, settingsOf } from './settings.ts';

/** A method for each operation. It throws a `DocumentAnalysisError`, or an error of the caller's own. */
export type Client = Operations<CallOptions>;

/**
 * Creates a client. It opens nothing and needs no closing.
 * @throws {TypeError} if an option is invalid; the message names it
 * @example
 * ```ts
 * import { createClient } from 'document-analysis-client';
 *
 * const client = createClient({ region: 'uk', apiKey: () => readFile('api-key', 'utf8') });
 * const { enabled } = await client.updateVerificationSetting({ enabled: true });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options);
  const methods = (Object.keys(endpoints) as OperationId[]).map((operationId) => [
    operationId,
    (...inputs: unknown[]) => callOperation(operationId, inputs, settings),
  ]);
  return Object.fromEntries(methods) as Client;
}

/** openapi-fetch's method, typed without the operation, which is known only at run time. */
type Send = (method: string, path: string, init: object) => Promise<FetchResult>;

/** Calls an operation with the arguments of its method in `Operations`. */
function callOperation(id: OperationId, inputs: readonly unknown[], settings: ClientSettings): Call<unknown> {
  const response = respond(id, inputs, settings);
  const data = response.then((read) => read.data);
  const withResponse = () => {
    // A caller that uses only this method does not handle the other promise, which fails too.
    data.catch(() => undefined);
    return response;
  };
  return Object.assign(data, { withResponse });
}

async function respond(
  operationId: OperationId,
  inputs: readonly unknown[],
  settings: ClientSettings,
): Promise<ReadResponse> {
  const endpoint: Endpoint = endpoints[operationId];
  const { init, headers, isRepeatable, options } = readRequest(endpoint, inputs);
  const { signal: caller, timeoutSeconds = settings.timeoutSeconds } = options;
  const requestId = headers.get('x-request-id') ?? crypto.randomUUID();
  headers.set('x-request-id', requestId);

  const call: FailedCall = { operationId, requestId };
  const seconds = requireTimeout(timeoutSeconds);
  const client = createFetchClient({ baseUrl: settings.addresses[endpoint.base], fetch: settings.fetch });
  const send = client.request as unknown as Send;
  return withDeadline({ seconds, caller, timeout: new TimeoutError(call, seconds) }, ({ signal, deadline }) =>
    withRetries(
      async () => {
        const credentials = await credentialHeaders(settings.credentials, endpoint.security);
        for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
        const request = { ...init, headers, signal, redirect: 'manual', parseAs: 'blob' };
        const result = await send(endpoint.method, endpoint.path, request).catch((cause: unknown) => {
          throw new ConnectionError(call, cause);
        });
        return readResponse(endpoint, call, result);
      },
      { method: endpoint.method, retries: isRepeatable ? settings.retries : 0, signal, deadline },
    ),
  );
}

/**
 * Runs the work until it is done, its time is over or the caller aborts, even if it ignores its signal.
 * @throws the caller's reason, unchanged, or `timeout`
 */
async function withDeadline<T>(
  { seconds, timeout, caller }: { seconds: number; timeout: Error; caller: AbortSignal | undefined },
  work: (bounds: Pick<RetryPolicy, 'signal' | 'deadline'>) => Promise<T>,
): Promise<T> {
  caller?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      // oxlint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller's reason may be anything
      reject(signal.reason);
    });
  });
  const follow = () => {
    controller.abort(caller?.reason);
  };
  caller?.addEventListener('abort', follow);
  const timer = setTimeout(() => {
    controller.abort(timeout);
  }, seconds * 1000);
  try {
    return await Promise.race([work({ signal, deadline: performance.now() + seconds * 1000 }), ended]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', follow);
  }
}
