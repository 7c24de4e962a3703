import { type RefusalStatuses, refusalsOf } from '../oracle/expected.ts';
import { isPublic } from '../oracle/request.ts';
import {
  credentialSchemes,
  type CredentialScheme,
  type Headers,
  isKey,
  presented,
} from '../dimensions/credential-scheme.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CheckContext, Guess, Need, RequestSpec } from '../run/model.ts';
import { type FormBody, formBodyOf, type JsonBody, jsonBodyOf, otherBodyOf } from './bodies.ts';
import { parametersOf } from './parameters.ts';

/** Changes to the baseline request. */
export interface Changes {
  readonly method?: string;
  readonly path?: string;
  /** The headers that present the credential. */
  readonly credential?: Headers;
  /** The headers that describe the body. */
  readonly content?: Headers;
  readonly body?: string | Buffer | undefined;
  readonly headers?: Headers;
}

/** A valid request of an operation, made only from the document, the configuration and the credentials. */
export interface Baseline {
  readonly document: ApiDocument;
  readonly operation: Operation;
  /** The schemes whose credentials are sent together; none if the operation is public. */
  readonly schemes: readonly CredentialScheme[];
  readonly isPublic: boolean;
  readonly json: JsonBody | undefined;
  /** The form, if the operation has no body of JSON. */
  readonly form: FormBody | undefined;
  readonly success: number;
  /** A status that counts as success, because an earlier request may have changed the resource. */
  readonly conflict: number | undefined;
  /** Statuses that count as success, because an earlier request may have removed the resource. */
  readonly gone: readonly number[];
  /** Whether this project's decisions apply to the operation. */
  readonly isOwn: boolean;
  readonly refusals: RefusalStatuses;
  readonly guessed: readonly Guess[];
  readonly needs: readonly Need[];
  /** The needs of a request without a valid credential. */
  readonly anonymousNeeds: readonly Need[];
  /** The path with these URL-encoded values instead of valid parameters. */
  readonly path: (context: Pick<CheckContext, 'credential'>, parameters?: Readonly<Record<string, string>>) => string;
  readonly request: (context: Pick<CheckContext, 'credential'>, changes?: Changes) => RequestSpec;
}

/** The baseline of an operation. Missing values become needs, so that its checks are reported as not run. */
export function baselineOf(operation: Operation, document: ApiDocument): Baseline {
  const ofDocument = baselines.get(document) ?? new Map<Operation, Baseline>();
  baselines.set(document, ofDocument);
  const baseline = ofDocument.get(operation) ?? newBaselineOf(operation, document);
  ofDocument.set(operation, baseline);
  return baseline;
}

const baselines = new WeakMap<ApiDocument, Map<Operation, Baseline>>();

function newBaselineOf(operation: Operation, document: ApiDocument): Baseline {
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
  const path: Baseline['path'] = (context, values = {}) => parameters.path(context, values);
  const anonymousNeeds: Need[] = [
    ...parameters.needs,
    ...parameters.lacks.map((name) => unmetValue(`an example of the parameter ${name}`)),
    ...(operation.requestBody && !body ? [unmetValue('a valid example of the request body')] : []),
  ];
  const credentialNeeds = schemes.map(({ credential }): Need => credential);
  if (!open && schemes.length === 0) credentialNeeds.push(unmetPrecondition('a known security scheme'));
  const success = successOf(operation, isOwn);
  if (success === undefined) anonymousNeeds.push(unmetPrecondition('a status of success'));

  return {
    document,
    operation,
    schemes,
    isPublic: open,
    json,
    form,
    success: success ?? 200,
    isOwn,
    refusals: refusalsOf(operation, isOwn),
    guessed: isOwn ? [] : guessedOf(operation, body?.isGuessed === true),
    conflict: operation.responses['409'] && !['get', 'head'].includes(operation.method) ? 409 : undefined,
    gone: !isOwn && operation.method === 'delete' ? [404, 410] : [],
    needs: [...credentialNeeds, ...anonymousNeeds],
    anonymousNeeds,
    path,
    request: (context, changes = {}) => {
      const text = 'body' in changes ? changes.body : body?.text;
      const credential =
        changes.credential ?? schemes.flatMap((scheme) => presented(scheme, context.credential(scheme.credential)));
      const content = changes.content ?? body?.content ?? [];
      const inQuery = credential.flatMap(([name, value]) =>
        name.startsWith('?') ? [`${encodeURIComponent(name.slice(1))}=${encodeURIComponent(value)}`] : [],
      );
      const inHeaders = credential.filter(([name]) => !name.startsWith('?'));
      return {
        method: changes.method ?? operation.method.toUpperCase(),
        path: inQuery.reduce(withQuery, changes.path ?? path(context)),
        headers: [...inHeaders, ...content, ...parameters.headers, ...(changes.headers ?? [])],
        ...(text !== undefined && { body: text }),
      };
    },
  };
}

/** The first documented success status. A range, or else `default`, counts as its usual status. */
function successOf({ responses }: Operation, isOwn: boolean): number | undefined {
  const statuses = Object.keys(responses);
  const named = statuses.find((status) => /^2\d\d$/.test(status));
  if (named !== undefined || isOwn) return named === undefined ? undefined : Number(named);
  if (responses['2XX']) return 200;
  const redirect = statuses.find((status) => /^3\d\d$/.test(status));
  return redirect === undefined ? responses['default'] && 200 : Number(redirect);
}

/** Headers whose value depends on the state of the resource. */
const condition = /^if-(match|unmodified-since)$/i;

const bodyAccepted = 'a body that the server accepts';

function guessedOf({ parameters, requestBody, responses, security }: Operation, isBodyGuessed: boolean): Guess[] {
  const guesses = parameters.filter(({ value }) => value === undefined);
  const identifiers = guesses.filter(({ in: place }) => place === 'path');
  const conditions = guesses.filter(({ in: place, name }) => place === 'header' && condition.test(name));
  const isWrong = (status: string) => /^4\d\d$/.test(status) && !['401', '403', '429'].includes(status);
  const refused = Object.keys(responses).filter(isWrong).map(Number);
  return [
    ...(identifiers.length === 0
      ? []
      : [{ what: `what ${identifiers.map(({ name }) => name).join(' and ')} identifies`, statuses: [404, 410] }]),
    ...conditions.map(({ name }) => ({ what: `a current value of ${name}`, statuses: [412] })),
    ...(isBodyGuessed ? [{ what: bodyAccepted, statuses: refused }] : []),
    // An operation without a security scheme may be a login, which refuses the credentials in its body.
    ...(security.length === 0 && requestBody
      ? [{ what: bodyAccepted, statuses: [401, 403].filter((status) => responses[String(status)]) }]
      : []),
  ];
}

/** Adds a query to a path, which may already have one. */
export function withQuery(path: string, query: string): string {
  return path + (path.includes('?') ? '&' : '?') + query;
}

/**
 * Information missing from the document. No target can provide it, so the check is reported as not run, with this as
 * the reason.
 */
export function unmetPrecondition(what: string): Need {
  return `${what} (in the document)` as Need;
}

/** Missing information that the tester can also provide. */
export function unmetValue(what: string): Need {
  return `${what} (in the document, or under values in the configuration file)` as Need;
}
