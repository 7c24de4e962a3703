/** The responses that a document shows: its examples, and where it has none, values made of its schemas. */
import { isDeepStrictEqual } from 'node:util';
import { sampleOf } from '../dimensions/samples.ts';
import type { ApiDocument, DocumentedResponse, Header, MediaType, Operation, Schema } from '../document/model.ts';
import { isJson } from '../oracle/body.ts';
import { isObject } from '../oracle/json.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import { oracleOf } from '../oracle/schema.ts';
import { valueOf } from '../plan/parameters.ts';

export interface MockedResponse {
  readonly status: number;
  /** Absent if the response has no body. */
  readonly mediaType: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A documented example of a response. Its parts are made when they are asked for: documents may be large. */
export interface DocumentedExample extends MockedResponse {
  readonly name: string;
  /** Whether the body is as documented: authors make mistakes in examples. */
  readonly isSound: boolean;
  /** One made of the schema, in place of written ones that are not as documented. */
  readonly generated: DocumentedExample;
}

/** Every example of every final response, by operationId, in the order of the document. */
export function documentedExamples(document: ApiDocument): ReadonlyMap<string, readonly DocumentedExample[]> {
  return new Map(
    document.operations.map((operation) => {
      const { operationId, responses } = operation;
      const hasSuccess = Object.keys(responses).some((status) => /^[23]/.test(status));
      const examples = Object.entries(responses).flatMap(([documented, response]) => {
        // The status of a range is its first one; `default` is the success if no other is documented.
        const status = documented === 'default' ? (hasSuccess ? 500 : 200) : Number(documented.replace(/XX$/i, '00'));
        return status < 200 ? [] : shownBy(response, status, () => locationOf(operation, document));
      });
      return [operationId, examples];
    }),
  );
}

/** The examples of the response with this status, of its range, or of `default`. */
export function examplesOfStatus(responses: Operation['responses'], status: number): DocumentedExample[] {
  const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses['default'];
  return response ? shownBy(response, status) : [];
}

/**
 * The example with these preferences; undefined if there is none. A request without preferences gets a success. Of several
 * matches, prefers one that contains the values of the request's body, so that an update returns the saved value; else the
 * first that is as documented.
 */
export function chooseExample(
  examples: readonly DocumentedExample[],
  { code, example: name }: { readonly code?: string | undefined; readonly example?: string | undefined },
  body: unknown,
): DocumentedExample | undefined {
  const isAsked = code !== undefined || name !== undefined;
  const success = examples.some(({ status }) => status < 300) ? 300 : 400;
  const matching = examples.filter(
    (example) =>
      (isAsked || example.status < success) &&
      (code ?? String(example.status)) === String(example.status) &&
      (name ?? example.name) === example.name,
  );
  const repeating = matching.find((example) => repeats(example.body, body));
  if (repeating || isAsked) return repeating ?? matching[0];
  return matching.find(({ isSound }) => isSound) ?? matching[0]?.generated;
}

function repeats(shown: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null || typeof shown !== 'object' || shown === null) return false;
  return Object.entries(sent).every(([field, value]) => isDeepStrictEqual(Reflect.get(shown, field), value));
}

/** The named examples, JSON first; a media type without any has one that is made of its schema. */
function shownBy(response: DocumentedResponse, status: number, location?: () => string): DocumentedExample[] {
  const mediaTypes = Object.entries(response.content).sort(([a], [b]) => Number(isJson(b)) - Number(isJson(a)));
  if (mediaTypes.length === 0) return [exampleOf(response, status, 'example', location)];
  return mediaTypes.flatMap(([mediaType, media]) => {
    const names = Object.keys(media.examples);
    return (names.length > 0 ? names : ['example']).map((name) =>
      exampleOf(response, status, name, location, plainMediaType(mediaType), media),
    );
  });
}

function exampleOf(
  response: DocumentedResponse,
  status: number,
  name: string,
  location?: () => string,
  mediaType?: string,
  media?: MediaType,
): DocumentedExample {
  return {
    status,
    name,
    mediaType,
    get body() {
      if (mediaType === undefined || !media) return undefined;
      const { examples, schema } = media;
      if (examples[name]) return examples[name].value;
      if (!isJson(mediaType)) return schema.example ?? sampleFileOf(mediaType, schema);
      const sample = soundSampleOf(schema);
      // The status of a problem is that of its response (RFC 9457).
      const isProblem = /problem\+json/.test(mediaType) && isObject(sample) && Object.hasOwn(sample, 'status');
      return isProblem ? { ...sample, status } : sample;
    },
    get isSound() {
      return !media || mediaType === undefined || !isJson(mediaType) || isSound(media.schema, this.body);
    },
    get generated() {
      return exampleOf(response, status, '', location, mediaType, media);
    },
    get headers() {
      const shown = Object.entries(response.headers).flatMap(([header, documented]) => {
        const value = framing.test(header) ? undefined : headerValue(header, documented, location);
        return value === undefined ? [] : [[header, typeof value === 'string' ? value : JSON.stringify(value)]];
      });
      return Object.fromEntries(shown) as Record<string, string>;
    },
  };
}

/** Headers that follow from the body as it is sent. */
const framing = /^(content-length|content-encoding|transfer-encoding|connection)$/i;

/** The example of a header; a required one without an example gets a value made of its schema. */
function headerValue(name: string, { example, schema, required }: Header, location?: () => string): unknown {
  const given = example ?? schema.example;
  if (given !== undefined || !required) return given;
  const path = /^(content-)?location$/i.test(name) ? location?.() : undefined;
  const urls = path === undefined ? [] : [path, `https://example.com${path}`];
  return urls.find((url) => isSound(schema, url)) ?? soundSampleOf(schema);
}

function plainMediaType(mediaType: string): string {
  return mediaType
    .replace('*/*', 'application/octet-stream')
    .replace('image/*', 'image/png')
    .replace('text/*', 'text/plain')
    .replace(/\*(?=$|;)/, 'octet-stream');
}

/** A value made of the schema: with all of its fields if that is valid, else with the required ones. */
function soundSampleOf(schema: Schema): unknown {
  const samples = [sampleOf(schema, 'all'), sampleOf(schema)];
  return samples.find((value) => value !== undefined && isSound(schema, value)) ?? samples[1];
}

function isSound(schema: Schema, value: unknown): boolean {
  return oracleOf(schema)(value).length === 0;
}

/** The path of what an operation makes: that of a GET below it or of itself, with sample identifiers. */
function locationOf(operation: Operation, { operations }: ApiDocument): string {
  const below = operations.find(
    ({ method, path }) =>
      method === 'get' && path.replace(/\/\{[^/]+\}$/, '') === operation.path && path !== operation.path,
  );
  const { path, parameters } = below ?? operation;
  return path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return (parameter && pathTextOf(parameter, valueOf(parameter) ?? sampleOf(parameter.schema))) ?? '1';
  });
}

/** Files that programs can open, as small as they can be: a picture of one pixel, and a page without content. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const page = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 3 3]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** The content of a response that is not JSON, without an example: a file of its media type, or a text. */
function sampleFileOf(mediaType: string, schema: Schema): Buffer | string {
  if (/^image\/(?!svg)/i.test(mediaType)) return picture;
  if (/^application\/pdf\b/i.test(mediaType)) return page;
  if (/[/+]xml\b/i.test(mediaType)) return '<example/>';
  const sample = sampleOf(schema);
  return ['string', 'number', 'boolean'].includes(typeof sample) ? String(sample) : 'example';
}
