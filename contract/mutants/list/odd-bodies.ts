import { gunzipSync } from 'node:zlib';
import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, headerValues, isUpdate, jsonOf, withBody, withHeader } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

const setting = (enabled: unknown) => JSON.stringify({ enabled });

/** Bodies that are read too leniently, or too strictly. */
export const oddBodyMutants: readonly Mutant[] = [
  text('python-literals-accepted', 'True and False are accepted', (body) =>
    body.replace(/\b(True|False)\b/, (word) => word.toLowerCase()),
  ),
  text('literals-in-capitals-accepted', 'TRUE and FALSE are accepted', (body) =>
    body.replace(/\b(TRUE|FALSE)\b/, (word) => word.toLowerCase()),
  ),
  text('not-a-number-accepted', 'NaN is accepted as false', (body) => body.replace('NaN', 'false')),
  text('comma-at-the-end-of-updates-accepted', 'a trailing comma in an object is accepted', (body) =>
    body.replace(/,\}$/, '}'),
  ),
  text('names-without-quotes-accepted', 'field names without quotes are accepted', (body) =>
    body.replace('{enabled:', '{"enabled":'),
  ),
  text('yaml-accepted', 'YAML is accepted', (body) => body.replace(/^enabled: (\w+)$/, '{"enabled":$1}')),
  text('comment-before-accepted', 'comments are accepted', (body) => body.replace('/**/', '')),
  text('zero-byte-after-accepted', 'a zero byte ends a body', (body) => body.replace(/\0.*$/s, '')),
  text('no-break-space-accepted', 'any Unicode space is accepted as white space', (body) =>
    body.replace(/[\u00a0\u2003\f]/, ''),
  ),
  text('first-of-repeated-names-counts', 'the first value of a repeated field is used', (body) =>
    body.replace(/^(\{"enabled":(?:true|false)),(?=").*\}$/s, (whole, first: string) =>
      /"(enabled|\\u0065nabled)":[^,]*\}$/.test(whole) ? `${first}}` : whole,
    ),
  ),
  text('byte-order-mark-refused', 'a byte order mark is refused', (body) => body.replace('\u{FEFF}', '?')),
  value('on-and-yes-accepted', 'on and yes are accepted as true, off and no as false', (enabled) =>
    /^(on|yes)$/.test(String(enabled)) ? true : /^(off|no)$/.test(String(enabled)) ? false : enabled,
  ),
  value('digits-as-text-accepted', '"1" and "0" are accepted as booleans', (enabled) =>
    enabled === '1' ? true : enabled === '0' ? false : enabled,
  ),
  value('padded-text-accepted', '"true " is accepted as true', (enabled) =>
    typeof enabled === 'string' && /^(true|false) $/.test(enabled) ? enabled.trim() === 'true' : enabled,
  ),
  value('operator-accepted', '{"$eq": true} is accepted as true', (enabled) => memberOf(enabled, '$eq')),
  value('wrapped-value-accepted', '{"value": true} is accepted as true', (enabled) => memberOf(enabled, 'value')),
  value('lists-flattened', 'nested arrays are flattened', (enabled) =>
    Array.isArray(enabled) ? (enabled.flat(3)[0] ?? enabled) : enabled,
  ),
  fields('dollar-fields-ignored', 'fields whose name begins with $ are ignored', (name) => !name.startsWith('$')),
  fields(
    'padded-names-accepted',
    'fields whose name ends with a space or a zero byte are ignored',
    (name) => !/[ \0]$/.test(name),
  ),
  fields(
    'look-alike-names-ignored',
    'fields whose name has letters of another script are ignored',
    (name) => !/[^ -~\0]/.test(name),
  ),
  text('prototype-read', 'enabled is read from __proto__', (body) => body.replace(/^\{"__proto__":(\{.*\})\}$/, '$1')),
  text('envelope-read', 'enabled is read from data', (body) => body.replace(/^\{"data":(\{.*\})\}$/, '$1')),
  reading('gzip-body-read', 'a gzip body is accepted', (request) =>
    /^gzip$/i.test(headerValues(request, 'content-encoding').join()) && request.body[0] === 0x1f
      ? withBody(withHeader(request, 'Content-Encoding'), gunzipSync(request.body).toString())
      : request,
  ),
  reading('unknown-coding-ignored', 'an unknown content coding is ignored', (request) =>
    headerValues(request, 'content-encoding').includes('unknown') ? withHeader(request, 'Content-Encoding') : request,
  ),
  reading('utf-16-body-read', 'a UTF-16 body is accepted', (request) =>
    request.body[1] === 0
      ? withBody(withHeader(request, 'Content-Type', 'application/json'), request.body.toString('utf16le'))
      : request,
  ),
  reading('charset-in-capitals-ignored', 'a charset parameter named in upper case is ignored', (request) =>
    headerValues(request, 'content-type').some((type) => type.includes('Charset='))
      ? withHeader(request, 'Content-Type', 'application/json')
      : request,
  ),
  reading('body-unchecked-with-a-cookie', 'the body of a request with a cookie is not validated', (request) =>
    headerValues(request, 'cookie').length > 0 ? sanitised(request) : request,
  ),
  reading('body-unchecked-with-a-query', 'the body of a request with a query is not validated', (request) =>
    request.path.includes('?') ? sanitised(request) : request,
  ),
  ...handlerMutants([
    [
      'deep-nesting-responds-500',
      'a deeply nested body gets 500',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          const isDeep = isUpdate(request) && /(\{"a":|\[){1000}/.test(request.body.toString());
          return isDeep ? errorResponse(response, 500, 'service.internal-error') : response;
        },
    ],
  ]),
];

function reading(name: string, breaks: string, edit: (request: ProxiedRequest) => ProxiedRequest): Mutant {
  return {
    name,
    breaks,
    start:
      ({ forward }) =>
      (request) =>
        forward(isUpdate(request) ? edit(request) : request),
  };
}

function text(name: string, breaks: string, edit: (body: string) => string): Mutant {
  return reading(name, breaks, (request) => {
    const body = request.body.toString();
    const edited = edit(body);
    return edited === body ? request : withBody(request, edited);
  });
}

function value(name: string, breaks: string, edit: (enabled: unknown) => unknown): Mutant {
  return reading(name, breaks, (request) => {
    const body = jsonOf(request) as { enabled?: unknown } | null | undefined;
    const isAlone = typeof body === 'object' && body !== null && Object.keys(body).join() === 'enabled';
    return isAlone && edit(body.enabled) !== body.enabled ? withBody(request, setting(edit(body.enabled))) : request;
  });
}

function fields(name: string, breaks: string, keeps: (name: string) => boolean): Mutant {
  return reading(name, breaks, (request) => {
    const body = jsonOf(request);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return request;
    const kept = Object.entries(body).filter(([each]) => keeps(each));
    return kept.length === Object.keys(body).length
      ? request
      : withBody(request, JSON.stringify(Object.fromEntries(kept)));
  });
}

function memberOf(enabled: unknown, name: string): unknown {
  const members = (enabled ?? {}) as Record<string, unknown>;
  return Object.keys(members).join() === name ? members[name] : enabled;
}

function sanitised(request: ProxiedRequest): ProxiedRequest {
  return jsonOf(request) === undefined ? request : withBody(request, setting(/true/.test(request.body.toString())));
}
