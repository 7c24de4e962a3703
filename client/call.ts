/** Sends attempts, each with a new credential, and gives the content of the response; openapi-fetch writes and reads it. */
import createFetchClient from 'openapi-fetch';
import { type Call, endpoints, type OperationId } from './generated/client.ts';
import { credentialHeaders } from './credential.ts';
import type { Endpoint } from './endpoint.ts';
import { ConnectionError, type FailedCall, TimeoutError } from './errors.ts';
import { readRequest } from './request.ts';
import { type FetchResult, readResponse, type ReadResponse } from './response.ts';
import { withRetries } from './retry.ts';
import { type ClientSettings, requireTimeout } from './settings.ts';

/** openapi-fetch's method, typed without the operation, which is known only at run time. */
type Send = (method: string, path: string, init: object) => Promise<FetchResult>;

/** Calls an operation with the arguments of its method in `Operations`. */
export function callOperation(id: OperationId, inputs: readonly unknown[], settings: ClientSettings): Call<unknown> {
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

/** The bounds of the work: the signal aborts at the deadline, or when the caller aborts. */
export interface Bounds {
  readonly signal: AbortSignal;
  /** The deadline on the clock of `performance.now()`. */
  readonly deadline: number;
}

/**
 * Runs the work until it is done, its time is over or the caller aborts, even if it ignores its signal.
 * @throws the caller's reason, unchanged, or `timeout`
 */
export async function withDeadline<T>(
  { seconds, timeout, caller }: { seconds: number; timeout: Error; caller: AbortSignal | undefined },
  work: (bounds: Bounds) => Promise<T>,
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
