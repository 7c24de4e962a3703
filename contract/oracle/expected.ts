/**
 * The oracle: which response a request must get. One pure function of the document, the state of the target and the request as
 * it is sent; it knows nothing of who asks or why. Refusals are found in the order of decision D11.
 */
import { parse as parseContentType } from 'content-type';
import { type RefusalStatuses, refusalsOf } from './refusal-statuses.ts';
import { contentOfType, encodingFault, isJson } from './media-type.ts';
import { parameterViolations } from './parameters.ts';
import { headerOf, isPublic } from './request.ts';
import { readBody } from './body.ts';
import { oracleOf as schemaOracle } from './schema.ts';
import { matchOperation, operationsOfPath } from '../document/index.ts';
import type { Operation, Parameter } from '../document/model.ts';
import { outcomes, type Success } from '../own-api/outcomes.ts';
import type { RequestSpec } from '../run/model.ts';
import type { Principal, World } from './world.ts';

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

/** A response that the oracle allows. */
export interface Expected extends Success {
  readonly promise: PromiseName;
  readonly operation: Operation | undefined;
  /** One of these; if there are none, the document promises nothing about the request. */
  readonly statuses: readonly number[];
  /** The error code, where one is promised. */
  readonly code?: string;
  /** The fields that a refusal must name, as `a/b/0`. */
  readonly fields?: readonly string[];
}

/** The response that a request must get. */
export function expectedOf(request: RequestSpec, world: World): Expected {
  const { document, isOwn } = world;
  const operation = matchOperation(document, request.method, request.path);
  if (!operation) {
    const known = operationsOfPath(document, request.path).length > 0;
    const documented = document.serviceResponses[known ? '405' : '404'] !== undefined;
    const statuses = isOwn || documented ? [known ? 405 : 404] : [];
    const promise = known ? 'method' : 'path';
    return { promise, operation, statuses, ...(isOwn && { code: ownCodes[promise] }) };
  }
  const refusals = refusalsOf(operation, isOwn);
  const refuse = (promise: PromiseName, statuses: readonly number[], more: Partial<Expected> = {}): Expected => ({
    promise,
    operation,
    statuses,
    ...(isOwn && ownCodes[promise] !== undefined && { code: ownCodes[promise] }),
    ...more,
  });
  const caller = isPublic(operation) ? undefined : principalOf(request, operation, world);
  if (world.spent.has(limitOf(request, world))) return refuse('limit', [429]);
  if (!isPublic(operation) && !caller) return refuse('credential', refusals.credential);
  if (world.failing && caller)
    return refuse('failure', [world.failing], { ...(isOwn && { code: failureCodes[world.failing] }) });
  if (isOwn && caller) {
    const { requiredPermission: permission, requiredFeature: feature } = operation;
    // Only the role of a key has permissions.
    const isKey = caller.name.endsWith('_key');
    if (permission !== null && isKey && !caller.holds(permission)) return refuse('permission', [403]);
    if (feature !== null && !caller.hasFeatures) return refuse('feature', [403]);
  }
  const body = bodyFault(request, operation);
  if (body) return refuse(body.promise, body.statuses ?? refusals[refusedBy[body.promise]], { ...(isOwn && body) });
  const parameters = parameterStatuses(request, operation, refusals);
  if (parameters) return refuse('parameters', parameters);
  const outcomeOf = isOwn ? outcomes[operation.operationId] : undefined;
  const outcome = outcomeOf?.(request, world, caller);
  if (outcome === 'not-found') return refuse('not-found', refusals.unknown);
  const statuses = [...successesOf(operation), ...(isOwn && !outcomeOf ? refusalsOfState(operation) : [])];
  return { promise: 'success', operation, statuses, ...outcome };
}

const refusedBy = { 'media-type': 'mediaType', 'body-size': 'invalid', body: 'invalid' } as const;

/** The secret whose limit a request counts against; `address` if it fails to authenticate. */
export function limitOf(request: RequestSpec, world: World): string {
  const operation = matchOperation(world.document, request.method, request.path);
  if (!operation || isPublic(operation)) return 'public';
  return principalOf(request, operation, world)?.secret ?? 'address';
}

/** Decision D9. */
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

/** The refusals that the request alone does not decide, of an operation whose outcomes are not known. */
function refusalsOfState({ responses }: Operation): number[] {
  const named = Object.keys(responses).filter((status) => /^4\d\d$/.test(status));
  return named.map(Number).filter((status) => ![400, 401, 403, 405, 413, 415, 429].includes(status));
}

function successesOf({ responses }: Operation): number[] {
  const named = Object.keys(responses).filter((status) => /^[23]\d\d$/.test(status));
  return named.length > 0 ? named.map(Number) : [];
}

/** The caller of one of the alternatives whose credentials are all valid. */
function principalOf(
  { headers = [], path }: RequestSpec,
  operation: Operation,
  { document, principals }: World,
): Principal | undefined {
  const callerBy = (name: string): Principal | undefined => {
    const scheme = document.securitySchemes[name];
    if (!scheme) return undefined;
    const values = (header: string) =>
      headers.filter(([sent]) => sent.toLowerCase() === header.toLowerCase()).map(([, value]) => value);
    const sent =
      scheme.type === 'apiKey' && scheme.in === 'query'
        ? new URLSearchParams(path.split(/\?(.*)/s)[1]).getAll(scheme.name)
        : scheme.type === 'apiKey' && scheme.in === 'cookie'
          ? values('cookie').flatMap((text) => cookieValues(text, scheme.name))
          : values(headerOf(scheme));
    const [value = '', ...others] = sent;
    if (others.length > 0) return undefined;
    const text = value.replace(/^[ \t]+|[ \t]+$/g, '');
    const secret = scheme.type === 'http' ? new RegExp(`^${scheme.scheme} +(.+)$`, 'is').exec(text)?.[1] : text;
    const principal = principals.get(secret ?? '');
    return principal?.schemes.includes(name) === true ? principal : undefined;
  };
  for (const names of operation.security) {
    // A client certificate, say, is not part of a request.
    const callers = names.filter((name) => document.securitySchemes[name]).map(callerBy);
    if (callers.length === 0) return elsewhere;
    if (callers.every((caller) => caller !== undefined)) return callers[0];
  }
  return undefined;
}

/** A caller who authenticates outside of the request. */
const elsewhere: Principal = {
  name: 'access_token',
  secret: '',
  schemes: [],
  organisation: 'own',
  holds: () => true,
  hasFeatures: true,
};

function cookieValues(text: string, name: string): string[] {
  return text.split(';').flatMap((pair) => {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    return key.trim() === name ? [value.trim()] : [];
  });
}

interface BodyFault {
  readonly promise: 'media-type' | 'body-size' | 'body';
  /** If a body has several faults, a server may find any of them first. */
  readonly statuses?: readonly number[];
  readonly fields?: readonly string[];
}

function bodyFault({ headers = [], body = '' }: RequestSpec, operation: Operation): BodyFault | undefined {
  const { requestBody } = operation;
  if (!requestBody) return undefined;
  const bytes = Buffer.from(body);
  const fields: Record<string, string[]> = {};
  for (const [name, value] of headers) (fields[name.toLowerCase()] ??= []).push(value.trim());
  const isOther = mediaTypeFault(fields, Object.keys(requestBody.content)) !== undefined;
  if (bytes.length === 0 && requestBody.required)
    return { promise: 'body', fields: [], ...(isOther && fields['content-type'] && { statuses: [400, 415] }) };
  if (bytes.length === 0) return undefined;
  if (bytes.length > requestBody.maxBytes) return { promise: 'body-size', statuses: isOther ? [413, 415] : [413] };
  if (isOther) return { promise: 'media-type' };
  const mediaType = fields['content-type']?.[0] ?? '';
  if (isJson(mediaType) && (encodingFault(bytes) !== undefined || !isJsonText(bytes)))
    return { promise: 'body', fields: [] };
  const read = readBody(requestBody, { headers: fields, bodyBytes: bytes.length, body: bytes });
  if (!read) return undefined;
  const faults = schemaOracle(read.schema)(read.value);
  return faults.length > 0 ? { promise: 'body', fields: faults } : undefined;
}

function isJsonText(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Decision D13. */
function mediaTypeFault(fields: Readonly<Record<string, string[]>>, documented: readonly string[]): string | undefined {
  const codings = (fields['content-encoding'] ?? []).join(',');
  if (codings !== '' && codings.toLowerCase() !== 'identity') return 'content coding';
  const [value, ...others] = fields['content-type'] ?? [];
  if (value === undefined || others.length > 0) return 'absent';
  try {
    const { type, parameters } = parseContentType(value);
    if (contentOfType(Object.fromEntries(documented.map((each) => [each, true])), type) === undefined) return 'other';
    return isJson(type) && !/^utf-8$/i.test(parameters['charset'] ?? 'utf-8') ? 'charset' : undefined;
  } catch {
    return 'malformed';
  }
}

/** The statuses that refuse the parameters; undefined if they are as documented. */
function parameterStatuses(
  { headers = [], path }: RequestSpec,
  operation: Operation,
  { invalid, unknown }: RefusalStatuses,
): readonly number[] | undefined {
  const { responses } = operation;
  const fields: Record<string, string[]> = {};
  for (const [name, value] of headers) (fields[name.toLowerCase()] ??= []).push(value);
  const faulty = parameterViolations(operation, path, fields).map((each) => each.parameter);
  if (faulty.length === 0) return undefined;
  // An identifier that is invalid is unknown, if the operation documents only 404.
  if (faulty.every(({ in: place }) => place === 'path') && responses['400'] === undefined) return unknown;
  const isAbsent = ({ in: place, name, required }: Parameter) =>
    place === 'header' && required && fields[name.toLowerCase()] === undefined;
  return responses['428'] !== undefined && faulty.every(isAbsent) ? [428] : invalid;
}
