/** Compares a response with what the oracle expects, and with the response to the same request asked in the plain way. */
import type { RequestSpec } from '../run/model.ts';
import type { Expected } from './expected.ts';
import { isObject, parsed } from './json.ts';
import type { HttpResponse } from './messages.ts';

/** Codes that the interface document names (section 7.2); the others are decisions. */
const codesOfInterface = [
  'request.authentication.invalid-token',
  'request.forbidden',
  'request.organisations.feature-flag.not-enabled',
  'request.cases.case.not-found',
];

/** Headers that tell what a response is. Gateways add and remove others. */
export const tellingHeaders = [
  'content-type',
  'cache-control',
  'www-authenticate',
  'allow',
  'location',
  'content-language',
  'content-range',
  'etag',
  'last-modified',
];

/**
 * What is wrong with a response; undefined if the oracle allows it.
 * @param details whether decisions about the error object are judged, too
 */
export function faultOf(
  { statuses, promise, code, fields = [], faults = [], bodyFault }: Expected,
  { method, body: sent }: RequestSpec,
  response: HttpResponse,
  details: boolean,
): string | undefined {
  if (statuses.length === 0) return undefined;
  if (!statuses.includes(response.status))
    return `expected ${statuses.join(' or ')} (${promise.replaceAll('-', ' ')}), got ${response.status}`;
  if (method === 'HEAD') return undefined;
  const body = parsed(response.text);
  if (code !== undefined && (details || codesOfInterface.includes(code))) {
    const came = isObject(body) ? body['error_code'] : undefined;
    // A body with several faults may be refused for any of them.
    if (came !== code && statuses.length === 1) return `expected the error code ${code}, got ${String(came)}`;
  }
  const named = namedIn(body, 'field');
  const areOthers = new Set(named).symmetricDifference(new Set(fields)).size > 0;
  if (details && response.status === 400 && fields.length > 0 && areOthers)
    return `expected error_details.errors to name ${list(fields)}, but it names ${list(named)}`;
  const rules = namedIn(body, 'rule');
  // Of bytes that are no text, a server may read what is left.
  const isText = promise === 'body' && typeof sent === 'string';
  const rule = isText ? faults.find((fault) => !rules.includes(fault.rule))?.rule : undefined;
  if (details && response.status === 400 && rule !== undefined)
    return `expected error_details.errors to name the rule ${rule}, but they name ${list(rules)}`;
  return bodyFault?.(body);
}

/** In what a response differs from the plain one, apart from what changes with every response. */
export function differenceFrom(
  plain: HttpResponse,
  response: HttpResponse,
  { bodyFault }: Pick<Expected, 'bodyFault'>,
): string | undefined {
  if (response.status !== plain.status) return `expected ${plain.status}, as without it, got ${response.status}`;
  // The body of a success depends on the state, which the oracle knows.
  const isSame = response.text === plain.text;
  if (!bodyFault && !isSame && withoutAddresses(response) !== withoutAddresses(plain))
    return 'expected the same body as without it';
  const differing = tellingHeaders.find(
    (name) => response.headers[name] !== plain.headers[name] && (isSame || name !== 'etag'),
  );
  if (differing === undefined) return undefined;
  const [before, now] = [plain.headers[differing] ?? 'absent', response.headers[differing] ?? 'none'];
  return `expected the header ${differing} as without it (${before}), got ${now}`;
}

/** A body without links, which may have the query that was asked for. */
function withoutAddresses({ text }: HttpResponse): string {
  const isLink = (name: string) => /^(_?links?|self|href|ur[il]|next|prev(ious)?|first|last)$/i.test(name);
  const body = parsed(text);
  return body === undefined ? text : JSON.stringify(body, (name, value: unknown) => (isLink(name) ? undefined : value));
}

function namedIn(body: unknown, name: 'field' | 'rule'): string[] {
  const { errors } = ((isObject(body) && body['error_details']) || {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return errors
    .map((error: Record<string, unknown> | null) => error?.[name])
    .filter((text) => typeof text === 'string');
}

function list(fields: readonly string[]): string {
  return [...new Set(fields)].map((field) => (field === '' ? 'the body as a whole' : field)).join(', ') || 'nothing';
}
