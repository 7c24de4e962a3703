import { valueOf } from '../plan/parameters.ts';
import { oracleOf } from '../oracle/schema.ts';
import { sampleOf } from '../dimensions/samples.ts';
import { isJson } from '../oracle/media-type.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import type { ApiDocument, DocumentedResponse, Header, MediaType, Operation, Schema } from '../document/model.ts';

type Responses = Operation['responses'];

/** Every example of every operation, by operationId, in the order of the document. */
export function documentedExamples(document: ApiDocument): ReadonlyMap<string, readonly DocumentedExample[]> {
  return new Map(
    document.operations.map((operation) => [
      operation.operationId,
      examplesOf(operation.responses, locationOf(operation, document)),
    ]),
  );
}

/**
 * The examples of final responses, by status; interim responses are skipped.
 * @param location the value of a header Location that has no example
 */
export function examplesOf(responses: Responses, location?: string): DocumentedExample[] {
  const hasSuccess = Object.keys(responses).some((status) => /^[23]/.test(status));
  return Object.entries(responses)
    .map(([documented, response]) => ({ status: statusOf(documented, hasSuccess), response }))
    .filter(({ status }) => status >= 200)
    .flatMap(({ status, response }) => shownBy(response, status, location));
}

/** The examples of the response with this status, of its range, or of `default`. */
export function examplesOfStatus(responses: Responses, status: number): DocumentedExample[] {
  const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((each) => responses[each]);
  const response = key === undefined ? undefined : responses[key];
  return response ? shownBy(response, status) : [];
}

/** A documented example of a response. What is not written is made when it is asked for: documents may be large. */
export class DocumentedExample {
  readonly status: number;
  readonly name: string;
  /** Absent if the response has no body. */
  readonly mediaType: string | undefined;
  readonly #response: DocumentedResponse;
  readonly #media: MediaType | undefined;
  readonly #location: string | undefined;

  constructor(
    status: number,
    name: string,
    response: DocumentedResponse,
    content?: [string, MediaType],
    location?: string,
  ) {
    this.status = status;
    this.name = name;
    this.mediaType = content?.[0];
    this.#response = response;
    this.#media = content?.[1];
    this.#location = location;
  }

  /** The written example, or else one made of the schema. */
  get body(): unknown {
    if (this.mediaType === undefined || !this.#media) return undefined;
    const { examples, schema } = this.#media;
    const written = examples[this.name];
    if (written) return written.value;
    return isJson(this.mediaType) ? soundSampleOf(schema) : (schema.example ?? sampleFileOf(this.mediaType, schema));
  }

  /** Whether the body is as documented: authors make mistakes in examples. */
  get isSound(): boolean {
    const { mediaType } = this;
    return !this.#media || mediaType === undefined || !isJson(mediaType) || isSound(this.#media.schema, this.body);
  }

  /** An example that is made of the schema, in place of written ones that are not as documented. */
  get generated(): DocumentedExample {
    const content: [string, MediaType] | undefined =
      this.mediaType === undefined || !this.#media ? undefined : [this.mediaType, this.#media];
    return new DocumentedExample(this.status, '', this.#response, content, this.#location);
  }

  /** The examples of the response's headers; a required header without one gets a value made of its schema. */
  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#response.headers).flatMap(([name, header]) => {
        const value = framing.test(name) ? undefined : this.#valueOf(name, header);
        return value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
      }),
    );
  }

  #valueOf(name: string, { example, schema, required }: Header): unknown {
    const given = example ?? schema.example;
    if (given !== undefined || !required) return given;
    const found = /^(content-)?location$/i.test(name) ? this.#location : undefined;
    const urls = found === undefined ? [] : [found, `https://example.com${found}`];
    return urls.find((url) => isSound(schema, url)) ?? soundSampleOf(schema);
  }
}

/** Headers that follow from the body as it is sent. */
const framing = /^(content-length|content-encoding|transfer-encoding|connection)$/i;

/** The named examples, JSON first; a media type without any has one that is made of its schema. */
function shownBy(response: DocumentedResponse, status: number, location?: string): DocumentedExample[] {
  const mediaTypes = Object.entries(response.content).sort(([a], [b]) => Number(isJson(b)) - Number(isJson(a)));
  if (mediaTypes.length === 0) return [new DocumentedExample(status, 'example', response, undefined, location)];
  return mediaTypes.flatMap(([mediaType, media]) => {
    const names = Object.keys(media.examples);
    const content: [string, MediaType] = [plainMediaType(mediaType), media];
    return (names.length > 0 ? names : ['example']).map(
      (name) => new DocumentedExample(status, name, response, content, location),
    );
  });
}

/** A media type for a range. */
function plainMediaType(mediaType: string): string {
  return mediaType
    .replace('*/*', 'application/octet-stream')
    .replace('image/*', 'image/png')
    .replace('text/*', 'text/plain')
    .replace(/\*(?=$|;)/, 'octet-stream');
}

/** A value made of the schema: with all of its fields if that is valid, else with the required ones. */
export function soundSampleOf(schema: Schema): unknown {
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
      method === 'get' &&
      path.startsWith(`${operation.path}/`) &&
      /^\/\{[^/]+\}$/.test(path.slice(operation.path.length)),
  );
  const { path, parameters } = below ?? operation;
  return path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return (parameter && pathTextOf(parameter, valueOf(parameter) ?? sampleOf(parameter.schema))) ?? '1';
  });
}

/** The status of a range is its first one; `default` is the success if no other is documented, else 500. */
function statusOf(documented: string, hasSuccess: boolean): number {
  if (documented === 'default') return hasSuccess ? 500 : 200;
  return Number(documented.replace(/XX$/i, '00'));
}

/** Files that programs can open, as small as they can be: pictures of one pixel, and a page without content. */
const files: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/gif': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  'image/jpeg': Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////' +
      '////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  ),
  'image/svg+xml': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
  'application/pdf': Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 3 3]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
};

/** The content of a response that is not JSON, without an example: a file of its media type, or a text. */
function sampleFileOf(mediaType: string, schema: Schema): Buffer | string {
  const [type = ''] = mediaType.toLowerCase().split(/[ \t]*;/);
  const file = files[type];
  if (file) return file;
  if (/[/+]xml$/.test(type)) return '<example/>';
  const sample = sampleOf(schema);
  return ['string', 'number', 'boolean'].includes(typeof sample) ? String(sample) : 'example';
}
