/** Requests that are read too leniently or too strictly, or taken for others. */
import { gunzipSync } from 'node:zlib';
import type { Mutant, Predicate, ProxiedRequest } from '../mutant.ts';
import { asJson, body, enabledOf, header, path, query, withBody } from '../requests.ts';
import { breaking, type Edits, row } from '../rows.ts';

const ofBytes =
  (bytes: number): Predicate =>
  (request) =>
    request.body.length === bytes;
const textOf = (request: ProxiedRequest) => request.body.toString();
const formOf = (request: ProxiedRequest) => /enabled=(true|false)/.exec(textOf(request))?.[1];
const isTextOfBoolean: Predicate = (request) => /^(true|false)$/.test(String(enabledOf(request)));
const isFalse: Predicate = (request) => enabledOf(request) === false;
const isGzip: Predicate = (request) => request.body[0] === 0x1f;
const isUtf16: Predicate = (request) => request.body[1] === 0;
const isText = header('content-type', /^text\/plain/);
const hasParameter = header('content-type', /^(?!.*charset).*;/i);
const isRepeated = body(/^\s*\{\s*"enabled"\s*:[^,]*,\s*"enabled"/);

/** Reads a body in another way, and so accepts it. */
const readAs = (read: (request: ProxiedRequest) => unknown): Edits => ({
  again: (request) => asJson(request, read(request)),
});
const asText = readAs((request) => ({ enabled: enabledOf(request) === 'true' }));
const inLowerCase = readAs((request) => textOf(request).toLowerCase());
const asForm = readAs((request) =>
  formOf(request) === undefined ? textOf(request) : `{"enabled":${formOf(request)}}`,
);
const unzipped = readAs((request) => gunzipSync(request.body).toString());
const fromUtf16 = readAs((request) => request.body.toString('utf16le'));
const trimmed = readAs((request) => textOf(request).trim());

export const requestBodyMutants: readonly Mutant[] = [
  ...breaking('explored.updateVerificationSetting.body* explored.walks* replay.updateVerificationSetting.400', [
    row('"true" and "false" are booleans', ['update 400', isTextOfBoolean], asText),
    row('True and False are accepted', ['update 400', body(/\b(True|False)\b/)], inLowerCase),
  ]),
  ...breaking('explored.updateVerificationSetting.media-type* explored.updateVerificationSetting.body*', [
    row('text/plain is read as JSON', ['update 415', isText], asForm),
    row('a gzip body is accepted', ['update 415', isGzip], unzipped),
    row('a UTF-16 body is accepted', ['update 4..', isUtf16], fromUtf16),
    row('a body of 16,385 bytes is accepted', ['update 413', ofBytes(16_385)], trimmed),
    row('chunks may be of any size', ['update 413', header('transfer-encoding')], trimmed),
  ]),
  ...breaking('explored.updateVerificationSetting.success* explored.updateVerificationSetting.body* explored.walks*', [
    row('16,384 bytes are refused', ['update 200', ofBytes(16_384)], { refuse: 413 }),
    row('false is treated as a missing field', ['update 200', isFalse], { refuse: 400 }),
    row('a byte order mark is refused', ['update 200', body(/^\u{FEFF}/u)], { refuse: 400 }),
    row('an escaped member name is refused', ['update 200', body(/\\u00/)], { refuse: 400 }),
    row('a type with a parameter is refused', ['update 200', hasParameter], { refuse: 415 }),
    row('the first value of a repeated field is used', ['update', isRepeated], {
      instead: (request) => withBody(request, textOf(request).replace(/,.*\}/s, '}')),
    }),
  ]),
];

const acceptsOther = header('accept', /^(?!.*(json|\*\/\*))/);
const isOddId = header('x-request-id', /^(?![\w.~-]{1,128}$)/);
const setting = path(/^\/organisations\/features\/verification$/);
const isOdd = path(/^\/cases\/(?![\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\?|$))/i);
const isInCapitals: Predicate = (request, { case_id: id }) => request.path.includes(id.toUpperCase());
const isOverridden = header('x-http-method-override');

export const requestMutants: readonly Mutant[] = [
  ...breaking('explored.* conformance.*.status conformance.*.200.header.*', [
    row('who accepts another media type is refused', ['* 200', acceptsOther], { refuse: 406 }),
    row('a query of 200 characters is refused', ['* 200', query(/.{200}/)], { refuse: 414 }),
    row('an unknown query parameter gets 400', ['* 200', query()], { refuse: 400 }),
    row('a malformed X-Request-Id is refused', ['* 200', isOddId], { refuse: 400 }),
    row('enabled in the query overrides the body', ['update', query(/(^|&)enabled=/)], {
      instead: (request) => withBody(request, `{"enabled":${/[?&]enabled=(\w+)/.exec(request.path)?.[1] ?? ''}}`),
    }),
    row('X-HTTP-Method-Override changes the method', ['*', isOverridden], {
      instead: (request) => ({
        ...request,
        method: request.headers.find(([name]) => /^x-http-method-override$/i.test(name))?.[1].toUpperCase() ?? 'GET',
      }),
    }),
    row('HEAD gets 405', '* HEAD', { instead: (request) => ({ ...request, method: 'POST' }) }),
    row('HEAD always gets 200', '* 4.. HEAD', { status: 200 }),
    row('HEAD has no headers', '* HEAD', (response) => ({ ...response, headers: {} })),
  ]),
  ...breaking('conformance.service* explored.service.*', [
    row('OPTIONS gets 204 with CORS headers', ['*', ({ method }) => method === 'OPTIONS'], () => ({
      status: 204,
      headers: { 'access-control-allow-origin': '*' },
      body: '',
    })),
    row('DELETE switches the setting off', ['*', ({ method }) => method === 'DELETE', setting], {
      instead: (request) => asJson({ ...request, method: 'PUT' }, { enabled: false }),
    }),
    row('every unknown path gets 200', 'none 404', { status: 200, json: () => ({}) }),
    row('the parent path of a case lists all cases', ['none', path(/^\/cases\/?($|\?)/)], {
      status: 200,
      json: (_body, _request, { credentials }) => [credentials.case_id, credentials.other_case_id],
    }),
    row('a version before a path is ignored', ['none 404', path(/^\/v\d+\//)], {
      again: (request) => ({ ...request, path: request.path.replace(/^\/v\d+/, '') }),
    }),
  ]),
  ...breaking('explored.getCase.not-found* explored.getCase.success* conformance.getCase.*', [
    row('an identifier that is not a UUID gets 500', ['case 404', isOdd], { refuse: 500 }),
    row('a long identifier gets 414', ['case 404', path(/^[^?]{200}/)], { refuse: 414 }),
    row('a quotation mark gets 500', ['case 404', path(/^[^?]*('|%27)/)], { refuse: 500 }),
    row('an identifier in capitals gets 404', ['case 200', isInCapitals], { refuse: 404 }),
  ]),
];
