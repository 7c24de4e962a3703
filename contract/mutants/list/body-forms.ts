import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { errorResponse, headerValues, isUpdate, jsonOf, withBody, withHeader } from '../requests.ts';
import { handlerMutants } from '../tampering.ts';

/** Media types, codings and sizes of bodies that are treated wrongly, and valid bodies that are refused. */
export const bodyFormMutants = [
  ofAnotherType('text-plain-accepted', 'text/plain is read as JSON', (type) => type.startsWith('text/plain')),
  ofAnotherType('form-accepted', 'a form is accepted', (type) => type.startsWith('application/x-www-form-urlencoded')),
  ofAnotherType('json-suffix-accepted', 'every +json media type is accepted', (type) => /\+json/.test(type)),
  ofAnotherType('any-type-accepted', 'the media type is ignored', () => true),
  ofAnotherType('absent-type-accepted', 'a body without a media type is accepted', (type) => type === ''),
  ofAnotherType('other-charset-accepted', 'the charset is ignored', (type) =>
    /^application\/json;.*charset/i.test(type),
  ),
  ...handlerMutants([
    [
      'coded-body-accepted',
      'the content coding is ignored',
      ({ forward }) =>
        async (request) => {
          const response = await forward(request);
          return isUpdate(request) && response.status === 415 && headerValues(request, 'content-encoding').length > 0
            ? forward(withBody(withHeader(request, 'Content-Encoding'), '{"enabled":true}'))
            : response;
        },
    ],
    ['size-limit-one-too-large', 'a body of 16,385 bytes is accepted', sizeLimit((bytes) => bytes === 16_385)],
    ['size-limit-absent', 'a body of any size is accepted', sizeLimit(() => true)],
    [
      'size-limit-one-too-small',
      'a body of 16,384 bytes is refused as too large',
      refusing((request) => request.body.length === 16_384, 413, 'request.body.too-large'),
    ],
    [
      'false-refused',
      'false is treated as a missing field',
      refusing(
        (request) => (jsonOf(request) as { enabled?: unknown } | null)?.enabled === false,
        400,
        'request.validation.failed',
      ),
    ],
    [
      'charset-refused',
      'a media type with a charset is refused',
      refusing(
        (request) => headerValues(request, 'content-type').some((type) => type.includes('charset')),
        415,
        'request.media-type.unsupported',
      ),
    ],
    [
      'spaces-refused',
      'white space in JSON is refused',
      refusing((request) => /^\s/.test(request.body.toString()), 400, 'request.validation.failed'),
    ],
    [
      'media-type-in-capitals-refused',
      'the media type is case-sensitive',
      refusing(
        (request) => headerValues(request, 'content-type').some((type) => /[A-Z]{4}/.test(type)),
        415,
        'request.media-type.unsupported',
      ),
    ],
  ]),
];

function ofAnotherType(name: string, breaks: string, condition: (type: string) => boolean): Mutant {
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
  return { name, breaks, start };
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
