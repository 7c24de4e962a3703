import { setTimeout as sleep } from 'node:timers/promises';
import { isPublic } from '../oracle/request.ts';
import { contentOfType } from '../oracle/body.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { type HttpClient } from './http-client.ts';
import { NoResponseError, UnusableTargetError } from './errors.ts';
import type { Credentials, HttpResponse } from './model.ts';

const anyId = '00000000-0000-4000-8000-000000000000';
const secondsBetweenTries = 0.25;

/** The URLs of the GET operations, which are requested without a credential, those of each base address in a list. */
export function plainUrls(credentials: Credentials, document: ApiDocument): string[][] {
  return byOrigin(plainRequests(credentials, document)).map((some) => some.map(({ url }) => url));
}

function byOrigin<Asked extends { readonly url: string }>(all: readonly Asked[]): Asked[][] {
  const origins = [...new Set(all.map(({ url }) => new URL(url).origin))];
  return origins.map((origin) => all.filter(({ url }) => new URL(url).origin === origin));
}

function plainRequests({ base_url: base, case_base_url: caseBase }: Credentials, { operations }: ApiDocument) {
  return operations
    .filter(({ method }) => method === 'get')
    .map((operation) => ({
      operation,
      url: (operation.servers ? caseBase : base) + operation.path.replace(/\{[^}]+\}/g, anyId),
    }));
}

/**
 * Sends simple requests to the target before anything else. Any response of an API will do, even a wrong one.
 * @param waitSeconds how long the target, or a gateway in front of it, may fail to respond
 * @returns notices for the tester
 * @throws {NoResponseError} if the target does not respond as HTTP
 * @throws {UnusableTargetError} if what responds is clearly not this API
 */
export async function reachTarget(
  credentials: Credentials,
  client: HttpClient,
  document: ApiDocument,
  { waitSeconds = 0, signal }: { waitSeconds?: number; signal?: AbortSignal } = {},
): Promise<string[]> {
  const until = Date.now() + waitSeconds * 1000;
  const [notices, foreign]: [string[], string[]] = [[], []];
  let untelling = 0;
  const asked = await Promise.all(
    plainRequests(credentials, document).map(async ({ url, operation }) => {
      const response = await comingUp(() => client.send(url, { method: 'GET', path: '' }), until, signal).catch(
        (error: unknown) => {
          if (error instanceof NoResponseError) return error;
          throw error;
        },
      );
      return { url, operation, response };
    }),
  );
  // One response from each base address is enough: an operation may be slow.
  for (const some of byOrigin(asked)) {
    const errors = some.flatMap(({ response }) => (response instanceof NoResponseError ? [response] : []));
    const shown = errors.find(({ begun }) => begun) ?? errors[0];
    if (shown && errors.length === some.length) throw shown;
    notices.push(...errors.map(({ message }) => message));
  }
  const responses = asked.flatMap(({ response, ...request }) =>
    response instanceof NoResponseError ? [] : [{ ...request, response }],
  );
  for (const { url, operation, response } of responses) {
    const { status } = response;
    if (status >= 300 && status < 400)
      notices.push(`${url} responds with a redirect (${status}); the suite follows none`);
    if (isUntelling(operation, response, isOwnApi(document))) untelling += 1;
    else if (isForeign(operation, response, isOwnApi(document)))
      foreign.push(`GET ${url}: ${status} ${mediaTypeOf(response)}`.trim());
  }
  if (foreign.length > 0 && foreign.length === responses.length - untelling)
    throw new UnusableTargetError(`what responds at ${credentials.base_url} is not this API (${foreign.join(', ')})`);
  return notices;
}

/** Retries until the response is not a gateway's, or the time is up. */
async function comingUp(send: () => Promise<HttpResponse>, until: number, signal?: AbortSignal): Promise<HttpResponse> {
  for (;;) {
    const isOver = Date.now() >= until || signal?.aborted === true;
    try {
      const response = await send();
      if (isOver || ![502, 503, 504].includes(response.status)) return response;
    } catch (error) {
      if (isOver || !(error instanceof NoResponseError)) throw error;
    }
    await sleep(secondsBetweenTries * 1000);
  }
}

/** A 404 that another API documents, as for an identifier of nothing; any other server says it too. */
function isUntelling({ responses }: Operation, { status }: HttpResponse, isOwn: boolean): boolean {
  return !isOwn && status === 404 && (responses['404'] ?? responses['4XX'] ?? responses['default']) !== undefined;
}

/**
 * A page for people, a path that is not there, or a success that has nothing of what is documented: what a proxy and another
 * server respond to a request of this API.
 */
function isForeign(operation: Operation, response: HttpResponse, isOwn: boolean): boolean {
  const { responses } = operation;
  const documented = responses[String(response.status)] ?? (isOwn ? undefined : responses['default']);
  const isPage = /^(text\/html|application\/xhtml\+xml)$/i.test(mediaTypeOf(response));
  if (isPage) return !documented || contentOfType(documented.content, mediaTypeOf(response)) === undefined;
  if (isOwn && response.status === 200) return documented !== undefined && hasNothingOf(documented, response);
  return response.status === 404 && (!documented || (isOwn && !isPublic(operation)));
}

function hasNothingOf({ content }: DocumentedResponse, response: HttpResponse): boolean {
  const documented = Object.values(content).flatMap(({ schema }) => Object.keys(schema.properties ?? {}));
  try {
    const names = Object.keys(JSON.parse(response.text) as object);
    return names.length > 0 && !names.some((name) => documented.includes(name));
  } catch {
    return contentOfType(content, mediaTypeOf(response)) === undefined;
  }
}

function mediaTypeOf({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').replace(/ *;.*/s, '');
}
