/** What is asked of a target before the checks: whether it is this API, whether it knows the credentials, and what there is. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { contentOfType, withoutParameters } from '../oracle/body.ts';
import { isObject, parsed } from '../oracle/json.ts';
import { isPublic } from '../oracle/request.ts';
import { baselineOf } from '../plan/baseline.ts';
import { containedEntry, containerOf, valueNamed } from '../plan/parameters.ts';
import { NoResponseError, UnusableTargetError } from './errors.ts';
import type { HttpClient } from './http-client.ts';
import type { Check, CredentialName, Credentials, HttpResponse } from './model.ts';
import { missingNeeds } from './run-checks.ts';
import { Session, type SessionOptions } from './session.ts';

/** Responses of a gateway without a running server behind it. */
export const gatewayStatuses = [502, 503, 504];

const anyId = '00000000-0000-4000-8000-000000000000';
const secondsBetweenTries = 0.25;

/** What a preflight does not know by then, the checks will tell. */
const mostSeconds = 3;

/** The URLs of the GET operations, which are requested without a credential, those of each base address in a list. */
export function plainUrls(credentials: Credentials, document: ApiDocument): string[][] {
  const urls = plainRequests(credentials, document).map(({ url }) => url);
  return [...Map.groupBy(urls, (url) => new URL(url).origin).values()];
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
 * @param waitSeconds how long the target, or a gateway before it, may fail to respond @returns notices for the tester
 * @throws {NoResponseError} if the target does not respond as HTTP
 * @throws {UnusableTargetError} if what responds is clearly not this API
 */
export async function reachTarget(
  credentials: Credentials,
  client: HttpClient,
  document: ApiDocument,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const until = Date.now() + waitSeconds * 1000;
  const asked = await Promise.all(
    plainRequests(credentials, document).map(async ({ url, operation }) => {
      const send = () => client.send(url, { method: 'GET', path: '' });
      return { url, operation, response: await comingUp(send, until, signal) };
    }),
  );
  const notices: string[] = [];
  // One response from each base address is enough: an operation may be slow.
  for (const some of Map.groupBy(asked, ({ url }) => new URL(url).origin).values()) {
    const errors = some.flatMap(({ response }) => (response instanceof NoResponseError ? [response] : []));
    const shown = errors.find(({ begun }) => begun) ?? errors[0];
    if (shown && errors.length === some.length) throw shown;
    notices.push(...errors.map(({ message }) => message));
  }
  const isOwn = isOwnApi(document);
  let telling = 0;
  const foreign: string[] = [];
  for (const { url, operation, response } of asked) {
    if (response instanceof NoResponseError) continue;
    const { status } = response;
    if (isRedirect(response)) notices.push(`${url} responds with a redirect (${status}); the suite follows none`);
    // A 404 that another API documents, as for an identifier of nothing, tells nothing: any other server says it too.
    if (!isOwn && status === 404 && ['404', '4XX', 'default'].some((each) => operation.responses[each])) continue;
    telling += 1;
    if (isForeign(operation, response, isOwn)) foreign.push(`GET ${url}: ${status} ${mediaTypeOf(response)}`.trim());
  }
  if (foreign.length > 0 && foreign.length === telling)
    throw new UnusableTargetError(`what responds at ${credentials.base_url} is not this API (${foreign.join(', ')})`);
  return notices;
}

/** Retries until the response is not a gateway's, or the time is up. */
async function comingUp(send: () => Promise<HttpResponse>, until: number, signal?: AbortSignal) {
  for (;;) {
    const isOver = Date.now() >= until || signal?.aborted === true;
    const response = await send().catch((error: unknown) => {
      if (error instanceof NoResponseError) return error;
      throw error;
    });
    if (isOver || !(response instanceof NoResponseError || gatewayStatuses.includes(response.status))) return response;
    await sleep(secondsBetweenTries * 1000);
  }
}

/** What a proxy or another server responds: a page for people, an unknown path, a success without documented fields. */
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
  const body = parsed(response.text);
  if (!isObject(body)) return contentOfType(content, mediaTypeOf(response)) === undefined;
  const names = Object.keys(body);
  return names.length > 0 && !names.some((name) => documented.includes(name));
}

function isRedirect({ status }: HttpResponse): boolean {
  return status >= 300 && status < 400;
}

function mediaTypeOf({ headers }: HttpResponse): string {
  return withoutParameters(headers['content-type'] ?? '');
}

/**
 * Reads what the credentials should open, once, so that a wrong address or credential is reported in one line and not by each
 * check. What responds strangely in any other way is for the checks to judge.
 * @throws {UnusableTargetError} if the target redirects all of it elsewhere, or refuses a credential that chosen checks need wherever it is sent
 */
export async function preflight(options: SessionOptions, chosen: readonly Check[]): Promise<void> {
  const { document, target } = options;
  const signal = AbortSignal.timeout(mostSeconds * 1000);
  const late = once(signal, 'abort').then(() => undefined);
  const asking = document.operations
    .filter(({ method }) => method === 'get')
    .map(async (operation) => {
      const baseline = baselineOf(operation, document);
      if (missingNeeds(baseline, options).length > 0) return [];
      const session = new Session({ ...options, signal }, { needs: [...baseline.needs, 'exhausting-limits'] });
      const request = baseline.request(session);
      const response = await Promise.race([session.call(request), late]);
      return response ? [{ credential: baseline.schemes[0]?.credential, url: session.urlOf(request), response }] : [];
    });
  const asked = (await Promise.all(asking.map((each) => each.catch(() => [])))).flat();
  const [first] = asked;
  if (first && asked.every(({ response }) => isRedirect(response)))
    throw new UnusableTargetError(
      `${first.url} redirects to ${first.response.headers['location'] ?? 'nowhere'} (${first.response.status}), and the suite follows no redirect`,
    );
  const needed = new Set(chosen.flatMap(({ needs }) => needs));
  const opens = (name: CredentialName) =>
    asked.some(({ credential, response }) => credential === name && response.status !== 401);
  const refused = [...new Set(asked.flatMap(({ credential = [] }) => credential))].filter(
    (name) => needed.has(name) && !opens(name),
  );
  if (refused.length > 0)
    throw new UnusableTargetError(
      `${refused.join(' and ')} ${refused.length === 1 ? 'is' : 'are'} refused with 401 by ${target.credentials.base_url}`,
    );
}

/** Adds to the credentials what path parameters identify within what they name already. What cannot be read stays absent. */
export async function withContainedIdentifiers<Options extends SessionOptions>(options: Options): Promise<Options> {
  const { document, target } = options;
  let { credentials } = target;
  for (const operation of document.operations)
    for (const { name, in: place } of operation.parameters) {
      const container = place === 'path' ? containerOf(operation, name, document) : undefined;
      if (!container || containedEntry(name) in credentials) continue;
      const known = { ...options, target: { ...target, credentials } };
      const value = await valueIn(container, name, known).catch(() => undefined);
      if (value !== undefined) credentials = { ...credentials, [containedEntry(name)]: value };
    }
  return { ...options, target: { ...target, credentials } };
}

async function valueIn(container: Operation, name: string, options: SessionOptions): Promise<string | undefined> {
  const baseline = baselineOf(container, options.document);
  if (missingNeeds(baseline, options).length > 0) return undefined;
  const session = new Session(options, baseline);
  const { text } = await session.call(baseline.request(session));
  return valueNamed(JSON.parse(text), name);
}
