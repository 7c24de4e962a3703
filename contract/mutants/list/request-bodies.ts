import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, headerValues, isUpdate, jsonOf, withBody, withHeader } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';
import { gunzipSync } from 'node:zlib';

type Fields = Record<string, unknown>;

/** Bodies that are accepted although they violate the schema or are not JSON. */
const invalidBodyMutants = [
  reading(
    'true-as-text-accepted',
    '"true" and "false" are accepted as booleans',
    'explored.updateVerificationSetting.body*',
    ({ enabled }) => (enabled === 'true' || enabled === 'false' ? { enabled: enabled === 'true' } : undefined),
  ),
];

/** Reads a refused update in another way, if possible. */
function reinterpreting(
  name: string,
  breaks: string,
  promise: string,
  read: (request: ProxiedRequest) => string | undefined,
): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const body = isUpdate(request) && [400, 415].includes(response.status) ? read(request) : undefined;
      return body === undefined
        ? response
        : forward(withHeader(withBody(request, body), 'Content-Type', 'application/json'));
    };
  return { name, breaks, promise, start };
}

function reading(name: string, breaks: string, promise: string, read: (fields: Fields) => Fields | undefined): Mutant {
  return reinterpreting(name, breaks, promise, (request) => {
    const value = jsonOf(request);
    const fields =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? read(value as Fields) : undefined;
    return fields && JSON.stringify(fields);
  });
}

/** Media types, codings and sizes of bodies that are treated wrongly, and valid bodies that are refused. */
const bodyFormMutants = [
  ofAnotherType(
    'text-plain-accepted',
    'text/plain is read as JSON',
    'explored.updateVerificationSetting.media-type*',
    (type) => type.startsWith('text/plain'),
  ),
  ...handlerMutants([
    [
      'size-limit-one-too-large',
      'a body of 16,385 bytes is accepted',
      'explored.updateVerificationSetting.body-size*',
      sizeLimit((bytes) => bytes === 16_385),
    ],
    [
      'size-limit-one-too-small',
      'a body of 16,384 bytes is refused as too large',
      'explored.updateVerificationSetting.success*',
      refusing((request) => request.body.length === 16_384, 413, 'request.body.too-large'),
    ],
    [
      'false-refused',
      'false is treated as a missing field',
      '4.2-R5.* explored.updateVerificationSetting.success* conformance.updateVerificationSetting.status',
      refusing(
        (request) => (jsonOf(request) as { enabled?: unknown } | null)?.enabled === false,
        400,
        'request.validation.failed',
      ),
    ],
  ]),
];

function ofAnotherType(name: string, breaks: string, promise: string, condition: (type: string) => boolean): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const [type = ''] = headerValues(request, 'content-type');
      if (!isUpdate(request) || ![400, 415].includes(response.status) || !condition(type)) return response;
      const form = /enabled=(true|false)/.exec(request.body.toString())?.[1];
      const body = form === undefined ? request.body.toString() : `{"enabled":${form}}`;
      return forward(withHeader(withBody(request, body), 'Content-Type', 'application/json'));
    };
  return { name, breaks, promise, start };
}

function sizeLimit(accepts: (bytes: number) => boolean): Mutant['start'] {
  return ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const tooLarge = isUpdate(request) && response.status === 413 && accepts(request.body.length);
      return tooLarge ? forward(withBody(request, request.body.toString().trim().slice(0, 16_384))) : response;
    };
}

function refusing(condition: (request: ProxiedRequest) => boolean, status: number, code: string): Mutant['start'] {
  return ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      return isUpdate(request) && response.status === 200 && condition(request)
        ? errorResponse(response, status, code)
        : response;
    };
}

/** Bodies that are read too leniently, or too strictly. */
const oddBodyMutants: readonly Mutant[] = [
  text('python-literals-accepted', 'True and False are accepted', 'explored.updateVerificationSetting.body*', (body) =>
    body.replace(/\b(True|False)\b/, (word) => word.toLowerCase()),
  ),
  text(
    'byte-order-mark-refused',
    'a byte order mark is refused',
    'explored.updateVerificationSetting.success*',
    (body) => body.replace('\u{FEFF}', '?'),
  ),
  readingAs('gzip-body-read', 'a gzip body is accepted', 'explored.updateVerificationSetting.media-type*', (request) =>
    /^gzip$/i.test(headerValues(request, 'content-encoding').join()) && request.body[0] === 0x1f
      ? withBody(withHeader(request, 'Content-Encoding'), gunzipSync(request.body).toString())
      : request,
  ),
  readingAs(
    'utf-16-body-read',
    'a UTF-16 body is accepted',
    'explored.updateVerificationSetting.media-type* explored.updateVerificationSetting.body*',
    (request) =>
      request.body[1] === 0
        ? withBody(withHeader(request, 'Content-Type', 'application/json'), request.body.toString('utf16le'))
        : request,
  ),
  ...handlerMutants([]),
];

function readingAs(
  name: string,
  breaks: string,
  promise: string,
  edit: (request: ProxiedRequest) => ProxiedRequest,
): Mutant {
  return {
    name,
    breaks,
    promise,
    start:
      ({ forward }) =>
      (request) =>
        forward(isUpdate(request) ? edit(request) : request),
  };
}

function text(name: string, breaks: string, promise: string, edit: (body: string) => string): Mutant {
  return readingAs(name, breaks, promise, (request) => {
    const body = request.body.toString();
    const edited = edit(body);
    return edited === body ? request : withBody(request, edited);
  });
}

export const requestBodyMutants: readonly Mutant[] = [...invalidBodyMutants, ...bodyFormMutants, ...oddBodyMutants];
