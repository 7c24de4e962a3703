import { refusalsOf } from '../oracle/expected.ts';
import { isPublic } from '../oracle/request.ts';
import { documentedKey } from '../oracle/response.ts';
import { credentialSchemes, type Headers, isKey, presented } from '../dimensions/credential-scheme.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { Guess, HttpResponse, Need, RequestSpec } from '../run/model.ts';
import type { Wire } from '../run/wire.ts';
import { formBodyOf, isFile, jsonBodyOf, otherBodyOf } from './bodies.ts';
import { parametersOf, type Scene } from './parameters.ts';

export interface Changes {
  readonly method?: string;
  readonly path?: string;
  readonly credential?: Headers;
  readonly content?: Headers;
  readonly body?: string | Buffer | undefined;
  readonly headers?: Headers;
  readonly wire?: Wire;
}

/** A valid request of an operation, made only from the document, the configuration and the credentials. */
export type Baseline = ReturnType<typeof newBaselineOf>;

/** The baseline of an operation. Missing values become needs, so that its checks are reported as not run. */
export function baselineOf(operation: Operation, document: ApiDocument): Baseline {
  const ofDocument = baselines.get(document) ?? new Map<Operation, Baseline>();
  baselines.set(document, ofDocument);
  const baseline = ofDocument.get(operation) ?? newBaselineOf(operation, document);
  ofDocument.set(operation, baseline);
  return baseline;
}

const baselines = new WeakMap<ApiDocument, Map<Operation, Baseline>>();

function newBaselineOf(operation: Operation, document: ApiDocument) {
  const open = isPublic(operation);
  const known = credentialSchemes(document);
  const alternatives = (open ? [] : operation.security)
    .map((names) => names.flatMap((name) => known.find((scheme) => scheme.name === name) ?? []))
    .filter((found, index) => found.length === operation.security[index]?.length);
  const permitted = operation.requiredPermission === null ? undefined : alternatives.find((each) => each.some(isKey));
  const schemes = permitted ?? alternatives[0] ?? [];
  const isOwn = isOwnApi(document);
  const json = jsonBodyOf(operation, !isOwn);
  const form = json ? undefined : formBodyOf(operation);
  const body = json ?? form ?? otherBodyOf(operation);
  const parameters = parametersOf(operation, document);
  const { path } = parameters;
  const anonymousNeeds: Need[] = [
    ...parameters.needs,
    ...parameters.lacks.map(exampleOf),
    ...(operation.requestBody && !body ? [unmetValue('a valid example of the request body')] : []),
  ];
  const credentialNeeds = schemes.map(({ credential }): Need => credential);
  if (!open && schemes.length === 0) credentialNeeds.push(inDocument('a known security scheme'));
  const success = successOf(operation, isOwn);
  if (success === undefined) anonymousNeeds.push(inDocument('a status of success'));
  return {
    document,
    operation,
    /** The schemes whose credentials are sent together; none if the operation is public. */
    schemes,
    isPublic: open,
    json,
    /** The form, if the operation has no body of JSON. */
    form,
    /** The body of JSON, or of a form without files: either stands for an object. */
    payload: json ?? (form?.parts.some(isFile) === true ? undefined : form),
    success: success ?? 200,
    /** Whether this project's decisions apply to the operation. */
    isOwn,
    refusals: refusalsOf(operation, isOwn),
    guessed: isOwn ? [] : guessedOf(operation, body?.isGuessed === true),
    /** A status that counts as success, because an earlier request may have changed the resource. */
    conflict: operation.responses['409'] && !['get', 'head'].includes(operation.method) ? 409 : undefined,
    /** Statuses that count as success, because an earlier request may have removed the resource. */
    gone: !isOwn && operation.method === 'delete' ? [404, 410] : [],
    needs: [...credentialNeeds, ...anonymousNeeds],
    /** The needs of a request without a valid credential. */
    anonymousNeeds,
    lacks: parameters.lacks,
    /** The path with these URL-encoded values instead of valid parameters. */
    path,
    request: (context: Scene, changes: Changes = {}): RequestSpec => {
      const text = 'body' in changes ? changes.body : body?.text;
      const credential =
        changes.credential ?? schemes.flatMap((scheme) => presented(scheme, context.credential(scheme.credential)));
      const content = changes.content ?? body?.content ?? [];
      const isInQuery = ([name]: Headers[number]) => name.startsWith('?');
      const query = credential
        .filter(isInQuery)
        .map(([name, value]) => `${encodeURIComponent(name.slice(1))}=${encodeURIComponent(value)}`);
      const inHeaders = credential.filter((header) => !isInQuery(header));
      return {
        method: changes.method ?? operation.method.toUpperCase(),
        path: query.reduce(withQuery, changes.path ?? path(context)),
        headers: [...inHeaders, ...content, ...parameters.headers, ...(changes.headers ?? [])],
        ...(text !== undefined && { body: text }),
        ...(changes.wire && { wire: changes.wire }),
      };
    },
  };
}

/** The first documented success status. A range, or else `default`, counts as its usual status. */
function successOf({ responses }: Operation, isOwn: boolean): number | undefined {
  const firstOf = (kind: RegExp) => Object.keys(responses).find((status) => kind.test(status));
  const named = firstOf(/^2\d\d$/) ?? (isOwn || responses['2XX'] ? undefined : firstOf(/^3\d\d$/));
  if (named !== undefined) return Number(named);
  return !isOwn && (responses['2XX'] ?? responses['default']) ? 200 : undefined;
}

/** Headers whose value depends on the state of the resource. */
const condition = /^if-(match|unmodified-since)$/i;

const bodyAccepted = 'a body that the server accepts';

function guessedOf(
  { method, path, parameters, requestBody, responses, security }: Operation,
  isBodyGuessed: boolean,
): Guess[] {
  const guesses = parameters.filter(({ value }) => value === undefined);
  const identifiers = guesses.filter(({ in: place }) => place === 'path');
  const conditions = guesses.filter(({ in: place, name }) => place === 'header' && condition.test(name));
  const isWrong = (status: string) => /^4\d\d$/.test(status) && !['401', '403', '429'].includes(status);
  const refused = Object.keys(responses).filter(isWrong).map(Number);
  const names = identifiers.map(({ name }) => name).join(' and ');
  // An operation without a security scheme may be a login, which refuses the credentials in its body.
  const loginRefused =
    security.length === 0 && requestBody ? [401, 403].filter((status) => responses[status]) : undefined;
  const isQuestion = method === 'get' && responses['204'] !== undefined && responses['200'] === undefined;
  const given = Object.values(requestBody?.content ?? {}).some(({ examples }) => 'given' in examples);
  // As the body of `/accounts.get` does, whose example the server need not have.
  const namesNothing = requestBody !== undefined && !given && !path.includes('{') && responses['404'] !== undefined;
  return [
    ...(isQuestion ? [{ what: 'a place of which it is so', statuses: [404] }] : []),
    ...(namesNothing ? [{ what: 'what the body names', statuses: [404] }] : []),
    ...(names === '' ? [] : [{ what: `what ${names} identifies`, statuses: [404, 410] }]),
    ...conditions.map(({ name }) => ({ what: `a current value of ${name}`, statuses: [412] })),
    ...(isBodyGuessed ? [{ what: bodyAccepted, statuses: refused }] : []),
    ...(loginRefused ? [{ what: bodyAccepted, statuses: loginRefused }] : []),
  ];
}

/** Adds a query to a path, which may already have one. */
export function withQuery(path: string, query: string): string {
  return path + (path.includes('?') ? '&' : '?') + query;
}

/** What the document lacks and no target can provide: why a check is not run. */
function inDocument(what: string): Need {
  return `${what} (in the document)` as Need;
}

/** What the document lacks and the tester can also provide. */
export function unmetValue(what: string): Need {
  return `${what} (in the document, or under values in the configuration file)` as Need;
}

/** A value of a parameter that neither the document nor the tester gives. */
export function exampleOf(parameter: string): Need {
  return unmetValue(`an example of the parameter ${parameter}`);
}

type Successes = Pick<Baseline, 'success' | 'conflict' | 'gone' | 'operation' | 'isOwn'>;

/** Whether a status is a success of a request that the document allows. */
export function isSuccessOf({ success, conflict, gone, operation, isOwn }: Successes, status: number): boolean {
  if (status === success || status === conflict || gone.includes(status)) return true;
  return !isOwn && status >= 200 && status < 400 && documentedKey(operation.responses, status) !== undefined;
}

/** @throws {Error} with the response, which the report shows, unless it has one of these statuses */
export function expectStatus(response: Pick<HttpResponse, 'status'>, ...expected: readonly number[]): void {
  const { status } = response;
  if (expected.includes(status)) return;
  const list = [expected.slice(0, -1).join(', '), expected.at(-1)].filter((part) => part !== '').join(' or ');
  throw new Error(`expected status ${list}, got ${status}`, { cause: response });
}

/** @throws {Error} if the response to a request that the document allows is not a success */
export function expectSuccess(baseline: Successes, response: Pick<HttpResponse, 'status'>): void {
  if (!isSuccessOf(baseline, response.status)) expectStatus(response, baseline.success);
}
