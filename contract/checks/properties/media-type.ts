import { gzipSync } from 'node:zlib';
import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import type { Headers } from '../credential-scheme.ts';
import { defineCheck } from '../define-check.ts';
import { contentOfType } from '../../conformance/media-type.ts';
import { expectNoFailure, expectStatus, expectSuccess } from '../expect.ts';

const otherMediaTypes = {
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data; boundary=boundary',
  xml: 'application/xml',
  binary: 'application/octet-stream',
  jsonx: 'application/jsonx',
  'json-seq': 'application/json-seq',
  vendor: 'application/vnd.api+json',
  patch: 'application/json-patch+json',
  'text-json': 'text/json',
  'no-type': 'json',
  'no-subtype': 'application/',
  wildcard: '*/*',
  empty: '',
  'parameter-only': '; charset=utf-8',
  'utf-16': 'application/json; charset=utf-16',
  'utf-16-upper-case': 'application/json; Charset=UTF-16LE',
  'latin-1': 'application/json; charset=iso-8859-1',
};

const jsonSpellings = {
  'upper-case': 'APPLICATION/JSON',
  'charset-upper-case': 'application/json;charset=UTF-8',
  'charset-quoted': 'application/json; charset="utf-8"',
  'charset-name-upper-case': 'application/json; CHARSET=utf-8',
  'other-parameter': 'application/json; version=1',
  'two-parameters': 'application/json; version=1; charset=utf-8',
};

/** Checks of the media type, charset and content coding of a body. */
export function mediaTypeChecks(baseline: Baseline): Check[] {
  const { json, operation, isOwn, refusals } = baseline;
  if (!json) return [];
  if (!isOwn && refusals.mediaType.length === 0) return [];
  const [[, documented] = ['', 'application/json']] = json.content;
  // Each variant of JSON is applied to the documented media type, such as `application/merge-patch+json`.
  const type = (value: string) =>
    ['Content-Type', value.replace(/^application\/json(?=;|$)/i, spelt(documented))] as const;
  const coded = (coding: string): Headers => [type('application/json'), ['Content-Encoding', coding]];
  const check = (name: string, content: Headers, isAccepted: boolean, body: string | Buffer = json.text) =>
    defineCheck(baseline, {
      name: `media-type.${name}`,
      title: `a JSON body sent with the media type ${name} is ${isAccepted ? 'accepted' : 'not supported'}`,
      run: async (context) => {
        const response = await context.call(baseline.request(context, { content, body }));
        if (isAccepted) expectSuccess(baseline, response);
        else if (refusals.mediaType.length === 0) expectNoFailure(response);
        else expectStatus(response, ...refusals.mediaType);
      },
    });
  if (!isOwn)
    return Object.entries(otherMediaTypes)
      .filter(([name, value]) => plainlyOther.includes(name) && !isDocumented(operation, value))
      .map(([name, value]) => check(name, [type(value)], false));
  return [
    check('absent', [], false),
    ...Object.entries(otherMediaTypes)
      .filter(([, value]) => !isDocumented(operation, value))
      .map(([name, value]) => check(name, [type(value)], false)),
    check('form-encoded', [type('application/x-www-form-urlencoded')], false, 'enabled=true'),
    check('gzip', coded('gzip'), false, gzipSync(json.text)),
    check('gzip-untrue', coded('gzip'), false),
    check('br', coded('br'), false),
    check('unknown-coding', coded('unknown'), false),
    ...Object.entries(jsonSpellings).map(([name, value]) => check(name, [type(value)], true)),
  ];
}

/** The documented media type, in upper case if the variant is. */
function spelt(documented: string): (json: string) => string {
  return (json) => (json === json.toUpperCase() ? documented.toUpperCase() : documented);
}

/** Media types that no server treats as JSON. */
const plainlyOther = ['text', 'xml', 'binary'];

function isDocumented({ requestBody }: Baseline['operation'], mediaType: string): boolean {
  return contentOfType(requestBody?.content ?? {}, mediaType) !== undefined;
}
