/** The oracle: which response a request must get, by document, state and request alone. Refusals have the order of decision D11. */
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { Operation } from '../document/model.ts';
import { outcomes, type Success } from '../own-api/outcomes.ts';
import type { RequestSpec } from '../run/model.ts';
import { declaredContent } from './body.ts';
import type { ReceivedRequest } from './messages.ts';
import { isPublic, type RequestFault, requestFaults, valuesSent } from './request.ts';
import { owner, type Principal, type World } from './world.ts';

/** What decides a response. Each is a promise of its own in the report. */
export const promises = [
  'message',
  'path',
  'method',
  'limit',
  'credential',
  'failure',
  'permission',
  'feature',
  'media-type',
  'body-size',
  'body',
  'parameters',
  'not-found',
  'success',
] as const;
export type PromiseName = (typeof promises)[number];

export interface Expected extends Success {
  readonly promise: PromiseName;
  readonly operation: Operation | undefined;
  /** One of these; if there are none, the document promises nothing about the request. */
  readonly statuses: readonly number[];
  readonly code?: string;
  /** The fields of the body that a refusal must name, as `a/b/0`. */
  readonly fields?: readonly string[];
  /** What is wrong with the parameters or the body. */
  readonly faults?: readonly RequestFault[];
}

export function expectedOf(spec: RequestSpec, world: World): Expected {
  const { document, isOwn } = world;
  const request = receivedAs(spec);
  const operation = matchOperation(document, request.method, request.path);
  const expect = (promise: PromiseName, statuses: readonly number[], more: Partial<Expected> = {}): Expected => ({
    promise,
    operation,
    statuses,
    ...(isOwn && ownCodes[promise] !== undefined && { code: ownCodes[promise] }),
    ...more,
  });
  if (!operation) {
    const isKnown = operationsOfPath(document, request.path).length > 0;
    const status = isKnown ? 405 : 404;
    return expect(isKnown ? 'method' : 'path', isOwn || document.serviceResponses[status] ? [status] : []);
  }
  const refusals = refusalsOf(operation, isOwn);
  const caller = isPublic(operation) ? undefined : principalOf(request, operation, world);
  if (world.spent.has(limitFor(operation, caller))) return expect('limit', [429]);
  if (!isPublic(operation) && !caller) return expect('credential', refusals.credential);
  if (world.failing && caller)
    return expect('failure', [world.failing], isOwn ? { code: failureCodes[world.failing] } : {});
  if (isOwn && caller) {
    const { requiredPermission: permission, requiredFeature: feature } = operation;
    // Only the role of a key has permissions.
    const isKey = caller.name.endsWith('_key');
    if (permission !== null && isKey && !caller.holds(permission)) return expect('permission', [403]);
    if (feature !== null && !caller.hasFeatures) return expect('feature', [403]);
  }
  const refusal = refusalOf(request, operation, refusals, isOwn);
  if (refusal) return expect(refusal.promise, refusal.statuses, refusal);
  const outcomeOf = isOwn ? outcomes[operation.operationId] : undefined;
  const outcome = outcomeOf?.(spec, world, caller);
  if (outcome === 'not-found') return expect('not-found', refusals.unknown);
  const named = Object.keys(operation.responses).map(Number);
  const successes = named.filter((status) => status >= 200 && status < 400);
  // The request alone does not decide about these.
  const ofState = named.filter((status) => status < 500 && status >= 400 && !decidedByRequest.includes(status));
  return expect('success', [...successes, ...(isOwn && !outcomeOf ? ofState : [])], outcome);
}

/** Refusals of which the steps above find the reason in the request. */
const decidedByRequest = [400, 401, 403, 405, 413, 415, 429];

/** The secret whose limit a request counts against; `address` if it fails to authenticate. */
export function limitOf(spec: RequestSpec, world: World): string {
  const request = receivedAs(spec);
  const operation = matchOperation(world.document, request.method, request.path);
  return limitFor(operation, operation && principalOf(request, operation, world));
}

function limitFor(operation: Operation | undefined, caller: Principal | undefined): string {
  return !operation || isPublic(operation) ? 'public' : (caller?.secret ?? 'address');
}

const failureCodes = { 500: 'service.internal-error', 503: 'service.unavailable' } as const;

const ownCodes: Partial<Record<PromiseName, string>> = {
  path: 'request.not-found',
  method: 'request.method-not-allowed',
  limit: 'request.rate-limit.exceeded',
  credential: 'request.authentication.invalid-token',
  permission: 'request.forbidden',
  feature: 'request.organisations.feature-flag.not-enabled',
  'media-type': 'request.media-type.unsupported',
  'body-size': 'request.body.too-large',
  body: 'request.validation.failed',
  parameters: 'request.validation.failed',
  'not-found': 'request.cases.case.not-found',
};

/** The statuses with which an operation may refuse a request, by reason. Without any, no refusal is promised or checked. */
export type RefusalStatuses = Readonly<
  Record<'invalid' | 'mediaType' | 'credential' | 'unknown' | 'method', readonly number[]>
>;

/** Of this API, the statuses that it has decided on; of others, those that HTTP allows and the document has, or `4XX`. */
export function refusalsOf({ method, requestBody, responses }: Operation, isOwn: boolean): RefusalStatuses {
  const named = (status: number) => responses[status] !== undefined;
  if (isOwn)
    return { invalid: [400], mediaType: named(415) ? [415] : [], credential: [401], unknown: [404], method: [405] };
  const inRange = responses['4XX'] !== undefined;
  const promised = (telling: readonly number[], others: readonly number[] = []) =>
    inRange || telling.some(named)
      ? [...telling, ...others].filter((status) => named(status) || inRange || responses['default'] !== undefined)
      : [];
  // JSON:API has 409 for a wrong type of a resource.
  const isJsonApi = requestBody?.content['application/vnd.api+json'] !== undefined;
  const conflict = isJsonApi && named(409) ? [409] : [];
  // An earlier request may have removed the resource.
  const gone = method === 'delete' ? [404, 410] : [];
  return {
    // Documents misuse 405 for this, so it counts where it is listed.
    invalid: [...promised([400, 422], [413, 414, 415, 416, 417, ...gone]), ...(named(405) ? [405] : []), ...conflict],
    mediaType: promised([415], [400, 422, ...gone]),
    credential: promised([401, 403]),
    unknown: promised([404, 410]),
    method: named(405) ? [405, 501] : [],
  };
}

const receivedRequests = new WeakMap<RequestSpec, ReceivedRequest>();

/** A request as a server receives it: optional white space around a header's value does not belong to it. */
function receivedAs(request: RequestSpec): ReceivedRequest {
  const known = receivedRequests.get(request);
  if (known) return known;
  const { method, path, headers = [], body = '' } = request;
  const bytes = Buffer.from(body);
  const fields: Record<string, string[]> = {};
  for (const [name, value] of headers) (fields[name.toLowerCase()] ??= []).push(withoutSpace(value));
  const received = { method, path, headers: fields, bodyBytes: bytes.length, body: bytes };
  receivedRequests.set(request, received);
  return received;
}

/** Most values have none around them, which costs the least to see in this way. */
function withoutSpace(value: string): string {
  return value.trim().length === value.length ? value : value.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** Whom the credentials belong to of the first alternative of which all are valid; undefined if there is none. */
function principalOf({ headers, path }: ReceivedRequest, { security }: Operation, world: World) {
  for (const names of security) {
    const callers = names.flatMap((name) => {
      const scheme = world.document.securitySchemes[name];
      // A client certificate, say, is not part of a request.
      if (!scheme) return [];
      const [text = '', ...others] = valuesSent(scheme, headers, path);
      const secret = scheme.type === 'http' ? new RegExp(`^${scheme.scheme} +(.+)$`, 'is').exec(text)?.[1] : text;
      const principal = world.principals.get(secret ?? '');
      return [others.length === 0 && principal?.schemes.includes(name) === true ? principal : undefined];
    });
    if (callers.every((caller) => caller !== undefined)) return callers[0] ?? elsewhere;
  }
  return undefined;
}

/** A caller who authenticates outside of the request. */
const elsewhere: Principal = { name: 'access_token', secret: '', schemes: [], ...owner };

type Refusal = Pick<Expected, 'promise' | 'statuses' | 'fields' | 'faults'>;

/** How a request is refused for its body or its parameters; undefined if it is not. */
function refusalOf(
  request: ReceivedRequest,
  operation: Operation,
  refusals: RefusalStatuses,
  isOwn: boolean,
): Refusal | undefined {
  const found = requestFaults(operation, request);
  const ofBody = found.filter(({ promise }) => promise !== 'parameters');
  const ofParameters = found.filter(({ promise }) => promise === 'parameters');
  return (
    bodyRefusal(ofBody, request, operation, refusals, isOwn) ?? parameterRefusal(ofParameters, operation, refusals)
  );
}

/** Of several faults, a server may find any first. */
function bodyRefusal(
  faults: readonly RequestFault[],
  { headers }: ReceivedRequest,
  { requestBody }: Operation,
  { mediaType, invalid }: RefusalStatuses,
  isOwn: boolean,
): Refusal | undefined {
  const [first] = faults;
  if (!first || first.rule === 'form') return undefined;
  const { promise, rule, field } = first;
  if (promise === 'media-type') return { promise, statuses: mediaType };
  const isOfOtherType = typeof declaredContent(headers, requestBody?.content ?? {}) === 'string';
  // This API looks at the media type first (D11).
  if (promise === 'body-size' && isOfOtherType && isOwn) return { promise: 'media-type', statuses: mediaType };
  if (promise === 'body-size') return { promise, statuses: isOfOtherType ? [413, 415] : [413] };
  const isMissing = rule === 'required' && field === undefined;
  const statuses = isMissing && isOfOtherType && headers['content-type'] ? [400, 415] : invalid;
  return { promise, statuses, faults, fields: [...new Set(faults.flatMap((fault) => fault.field ?? []))] };
}

function parameterRefusal(
  faults: readonly RequestFault[],
  { responses }: Operation,
  { invalid, unknown }: RefusalStatuses,
): Refusal | undefined {
  if (faults.length === 0) return undefined;
  const refused = { promise: 'parameters', faults } as const;
  // An identifier that is invalid is unknown, if the operation documents only 404.
  if (!responses['400'] && faults.every(({ parameter }) => parameter?.in === 'path'))
    return { ...refused, statuses: unknown };
  const areMissing = faults.every(({ parameter, rule }) => parameter?.in === 'header' && rule === 'required');
  return { ...refused, statuses: responses['428'] && areMissing ? [428] : invalid };
}
