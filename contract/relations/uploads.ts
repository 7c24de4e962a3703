/** Relations of files: an upload comes back byte for byte, and no other item has it. */
import { createHash } from 'node:crypto';
import { withoutParameters } from '../oracle/body.ts';
import { parsed } from '../oracle/json.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { Client } from './client.ts';
import { type At, fail, isSuccess, refusedWith, unmet } from './exchange.ts';
import { type Upload } from './resources.ts';
import { successContent } from '../plan/parameters.ts';
import { type Fields, plainName } from './values.ts';
import { fieldsOf } from '../document/schemas.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import { isMocked } from '../oracle/response.ts';
import { entityIn, identifierIn, locatedAt } from './identity.ts';

/** Bytes that get lost when they are taken for text. */
const bytes = Buffer.from(
  Array.from({ length: 600 }, (_none, at) => (at < 512 ? at % 256 : ([13, 10, 0, 26][at % 4] ?? 0))),
);
const sizeNames = /^(file|content)?(size|length)(in)?(bytes)?$|^bytes$/;
/** The largest file that is uploaded, if the document allows as much. */
const mostBytes = 2 * 1024 * 1024;
const between = (first: string, last = '') =>
  Buffer.concat([Buffer.from(first, 'latin1'), bytes, Buffer.from(last, 'latin1')]);
const contents: readonly (readonly [mediaType: RegExp, contents: readonly Buffer[]])[] = [
  [/^text\//, ['', '\ufeff'].map((start) => Buffer.from(`${start}a\r\nb\n\tc \u00e9\u{1f600}\n`))],
  [/png/, [between('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')]],
  [/jpe?g/, [between('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01', '\xff\xd9')]],
  [/pdf/, [between('%PDF-1.4\r\n%', '\n%%EOF\n')]],
  [/(?:)/, [bytes, Buffer.concat(Array.from({ length: 150 }, () => bytes)), Buffer.from('\r\n')]],
];

export async function checkUploaded(client: Client, upload: Upload): Promise<void> {
  const { owner, field } = upload;
  const at = await placeOf(client, upload);
  const types = field === undefined ? Object.keys(upload.write.operation.requestBody?.content ?? {}) : [undefined];
  const known: Buffer[] = [];
  let stored: Buffer | undefined;
  for (const type of types.toReversed())
    for (const content of contentsOf(upload, type)) {
      await expectKept(client, { ...upload, type }, at, content, known);
      known.push((stored = content));
    }
  const [first = bytes] = contentsOf(upload);
  const large = Buffer.concat(Array.from({ length: Math.ceil(90_000 / first.length) }, () => first));
  // The server may have a limit of which the document tells in words.
  if (
    sizesOf(upload).maxLength === Infinity &&
    large.length <= (upload.write.operation.requestBody?.maxBytes ?? Infinity)
  )
    try {
      await expectKept(client, upload, at, large, known);
      stored = large;
    } catch (error) {
      if (!(error instanceof UnmetPreconditionError)) throw error;
    }
  if (!owner?.create || field !== undefined) return;
  await put(client, upload, (await client.create(owner)).at, first.subarray(0, 100));
  await expectContent(client, upload, at, stored ?? first);
}

/** Where a new upload is read. */
export async function placeOfUpload(client: Client, upload: Upload): Promise<At> {
  return put(client, upload, await placeOf(client, upload), bytes);
}

function placeOf(client: Client, { write, resource }: Upload): Promise<At> {
  return client.locate(write.operation.path, 'own', resource);
}

type Typed = Upload & { readonly type?: string | undefined };

/** A media type of an upload, by default the first, and the sizes that the document states. */
function sizesOf({ write, field }: Upload, chosen?: string) {
  const { content = {} } = write.operation.requestBody ?? {};
  const type = chosen ?? Object.keys(content)[0] ?? '';
  const { schema = {} } = content[type] ?? {};
  const { maxLength = Infinity, minLength = 0 } = (field === undefined ? schema : fieldsOf(schema)[field]) ?? {};
  return { type, maxLength, minLength };
}

/** Contents of a media type of an upload, within its limits. */
function contentsOf(upload: Upload, chosen?: string): Buffer[] {
  const { write, field } = upload;
  const { type, maxLength, minLength } = sizesOf(upload, chosen);
  const most = Math.min(maxLength, write.operation.requestBody?.maxBytes ?? Infinity);
  const part = write.form?.parts.find(({ name }) => name === field)?.mediaType;
  const [, all = []] = contents.find(([pattern]) => pattern.test(field === undefined ? type : (part ?? ''))) ?? [];
  const [first = bytes] = all;
  const largest = maxLength <= mostBytes ? [Buffer.alloc(maxLength, first)] : [];
  return [...all, ...largest].filter(({ length }) => length <= most && length >= minLength);
}

/** Uploads a file. @returns where it is then */
async function put(client: Client, upload: Typed, at: At, content: Buffer): Promise<At> {
  const { write, field, resource, type } = upload;
  const mark = 'the content of the file';
  const form = field === undefined ? mark : write.form?.textOf({ ...(write.form.valid as Fields), [field]: mark });
  const [before = '', after = unmet('missing: a form that can be sent')] = form?.split(mark) ?? [];
  const body = Buffer.concat([Buffer.from(before), content, Buffer.from(after)]);
  const headers = type === undefined || type.includes('*') ? [] : [['Content-Type', type] as const];
  const response = await client.send(write, { at, body, headers });
  if (response.status >= 500) fail(`an upload gets ${response.status}`, response);
  if (response.status === 413 && Number.isFinite(sizesOf(upload, type).maxLength))
    fail(`an upload of ${content.length} bytes, which the document allows, is refused`, response);
  if (response.status === 415) fail(`an upload of the documented media type ${type ?? ''} is refused`, response);
  if (!isSuccess(response)) refusedWith('an upload that the server accepts', response);
  if (!resource) return at;
  const entity = entityIn(parsed(response.text), resource);
  const [name, size] = Object.entries(entity ?? {}).find(([each]) => sizeNames.test(plainName(each))) ?? [];
  if (typeof size === 'number' && size !== content.length && !isMocked(response))
    fail(`${name} is ${size} after an upload of ${content.length} bytes`, response);
  for (const [each, value] of Object.entries(entity ?? {})) {
    const [algorithm] = /^(sha(1|256|512)|md5)/.exec(plainName(each)) ?? [];
    const digest = algorithm && createHash(algorithm).update(content).digest('hex');
    if (digest !== undefined && /^[\da-f]+$/.test(String(value)) && value !== digest && !isMocked(response))
      fail(`${each} is ${String(value)} after an upload whose ${algorithm} is ${digest}`, response);
  }
  const id = entity && identifierIn(entity, resource);
  const located = locatedAt(resource, response);
  if (id === undefined && Object.keys(located).length === 0)
    unmet('missing: the identifier of an upload, in its response');
  return { ...at, ...located, ...(id !== undefined && { [resource.parameter.name]: encodeURIComponent(id) }) };
}

/** Uploads a file and reads it. @param known earlier uploads. @throws {UnmetPreconditionError} on an example of a mock */
async function expectKept(client: Client, upload: Typed, at: At, content: Buffer, known: readonly Buffer[]) {
  const place = await put(client, upload, at, content);
  const { bytes: got = content } = await client.send(upload.read, { at: place });
  if (![content, ...known].some((each) => each.equals(got))) {
    const other = Buffer.concat([content.subarray(0, 16), Buffer.from(content.subarray(16)).reverse()]);
    const { bytes: second } = await client.send(upload.read, { at: await put(client, upload, at, other) });
    if (second?.equals(got)) unmet('the server responds with an example, whatever it is sent');
    await put(client, upload, at, content);
  }
  await expectContent(client, upload, place, content);
}

async function expectContent(client: Client, upload: Typed, at: At, content: Buffer): Promise<void> {
  const { read, write, field } = upload;
  const type = upload.type ?? write.form?.parts.find(({ name }) => name === field)?.mediaType ?? '';
  const response = await client.send(read, { at });
  if (!isSuccess(response)) fail(`expected the upload, got ${response.status}`, response);
  const got = withoutParameters(response.headers['content-type'] ?? '');
  const documented = successContent(read.operation);
  if (documented[type] && documented[got] && got !== type)
    fail(`expected the media type ${type}, got ${got}`, response);
  if (response.bytes && !content.equals(response.bytes))
    fail(`expected the ${content.length} bytes that were uploaded, got ${response.bytes.length} others`, response);
}

/** A partial response has the bytes that were asked for, and says which (RFC 9110, section 14). */
export async function checkRanges(client: Client, baseline: Baseline): Promise<void> {
  const upload = client.run.uploads.find(({ read }) => read === baseline);
  const at = upload ? await placeOfUpload(client, upload) : await client.locate(baseline.operation.path);
  const { bytes: whole = Buffer.alloc(0) } = await client.send(baseline, { at });
  const { length } = whole;
  if (length < 4) unmet('missing: a response of at least four bytes');
  const last = length - 2;
  for (const [range, start] of Object.entries({ '0-1': 0, [`${last}-`]: last, '-2': last })) {
    const response = await client.send(baseline, { at, headers: [['Range', `bytes=${range}`]] });
    // A server may always send all of it.
    if (response.status !== 206) continue;
    const { bytes: part = Buffer.alloc(0), headers } = response;
    const isTold = headers['content-range']?.startsWith(`bytes ${start}-${start + 1}/`) === true;
    if (!isTold || !part.equals(whole.subarray(start, start + 2)))
      fail(
        `expected two bytes from ${start} for ${range}, got ${part.length} as ${headers['content-range']}`,
        response,
      );
  }
}
