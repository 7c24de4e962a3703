/** Relations of files: an upload comes back byte for byte, and neither another item nor another tenant has it. */
import { createForOther, isPrivate } from './access.ts';
import { type At, type Client, fail, isSuccess, type Relation, unmet } from './client.ts';
import { locatedAt, entityIn, type Fields, identifierIn, parsed, type Upload } from './resources.ts';

/** Bytes that get lost when they are taken for text. */
const bytes = Buffer.from(
  Array.from({ length: 600 }, (_none, at) => (at < 512 ? at % 256 : ([13, 10, 0, 26][at % 4] ?? 0))),
);
const between = (first: string, last = '') =>
  Buffer.concat([Buffer.from(first, 'latin1'), bytes, Buffer.from(last, 'latin1')]);
const contents: readonly (readonly [mediaType: RegExp, contents: readonly Buffer[]])[] = [
  [/^text\//, [Buffer.from('a\r\nb\n\tc \u00e9\u{1f600}\n')]],
  [/png/, [between('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')]],
  [/jpe?g/, [between('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01', '\xff\xd9')]],
  [/pdf/, [between('%PDF-1.4\r\n%', '\n%%EOF\n')]],
  [/(?:)/, [bytes, Buffer.concat(Array.from({ length: 150 }, () => bytes)), Buffer.from('\r\n')]],
];

export function uploadRelations(upload: Upload): Relation[] {
  const { read, write, owner, field } = upload;
  const fitting = contentsOf(upload);
  const [first = bytes] = fitting;
  // The identifier of what a form creates is known only then.
  const named = field === undefined ? read : write;
  return [
    {
      ...{
        id: 'uploaded',
        title: 'an upload comes back byte for byte',
        about: write,
        uses: [field === undefined ? read : undefined],
      },
      run: async (client) => {
        const at = await client.locate(write.operation.path, 'own', upload.resource);
        for (const [index, content] of fitting.entries())
          await expectKept(client, upload, at, content, fitting.slice(0, index));
        if (!owner?.create || field !== undefined) return;
        await put(client, upload, (await client.create(owner)).at, first.subarray(0, 100));
        await expectContent(client, upload, at, fitting.at(-1) ?? first);
      },
    },
    {
      ...{ id: 'other-tenant', title: 'what one tenant uploaded, another can neither read nor replace', uses: [write] },
      about: isPrivate(read) && isPrivate(write) ? named : undefined,
      foreign: [read, write],
      run: async (client) => {
        if (owner?.create) await createForOther(client, owner);
        const at = await put(client, upload, await client.locate(write.operation.path, 'own', upload.resource), first);
        for (const [baseline, body] of [[read], ...(field === undefined ? [[write, first] as const] : [])] as const) {
          const response = await client.send(baseline, { at, caller: 'other', body });
          if (isSuccess(response)) fail(`expected another tenant to be refused, got ${response.status}`, response);
        }
      },
    },
  ];
}

/** Contents of the media type of an upload, within its limits. */
function contentsOf({ write, field }: Upload): Buffer[] {
  const [type = '', { schema = {} } = {}] = Object.entries(write.operation.requestBody?.content ?? {})[0] ?? [];
  const { maxLength = write.operation.requestBody?.maxBytes ?? Infinity, minLength = 0 } = schema;
  const mediaType =
    field === undefined ? type : (write.form?.parts.find(({ name }) => name === field)?.mediaType ?? '');
  const [, all = []] = contents.find(([pattern]) => pattern.test(mediaType)) ?? [];
  return all.filter(({ length }) => length <= maxLength && length >= minLength);
}

/** Uploads a file. @returns where it is then */
async function put(client: Client, { write, field, resource }: Upload, at: At, content: Buffer): Promise<At> {
  const mark = 'the content of the file';
  const form = field === undefined ? mark : write.form?.textOf({ ...(write.form.valid as Fields), [field]: mark });
  const [before = '', after] = form?.split(mark) ?? [];
  if (after === undefined) unmet('missing: a form that can be sent');
  const response = await client.send(write, {
    at,
    body: Buffer.concat([Buffer.from(before), content, Buffer.from(after)]),
  });
  if (response.status >= 500) fail(`an upload gets ${response.status}`, response);
  if (!isSuccess(response)) unmet(`missing: an upload that the server accepts (it responds ${response.status})`);
  if (!resource) return at;
  const entity = entityIn(parsed(response), resource);
  const id = entity && identifierIn(entity, resource);
  const located = locatedAt(resource, response);
  if (id !== undefined) return { ...at, ...located, [resource.parameter.name]: encodeURIComponent(id) };
  return Object.keys(located).length > 0
    ? { ...at, ...located }
    : unmet('missing: the identifier of an upload, in its response');
}

/**
 * Uploads a file and reads it.
 * @param known what was uploaded before
 * @throws {UnmetPreconditionError} if a mock responds with an example, whatever it is sent
 */
async function expectKept(
  client: Client,
  upload: Upload,
  at: At,
  content: Buffer,
  known: readonly Buffer[],
): Promise<void> {
  const place = await put(client, upload, at, content);
  const { bytes: got = content } = await client.send(upload.read, { at: place });
  if (!got.equals(content) && !known.some((each) => each.equals(got))) {
    const other = Buffer.concat([content.subarray(0, 16), Buffer.from(content.subarray(16)).reverse()]);
    const { bytes: second } = await client.send(upload.read, { at: await put(client, upload, at, other) });
    if (second?.equals(got)) unmet('the server responds with an example, whatever it is sent');
    await put(client, upload, at, content);
  }
  await expectContent(client, upload, place, content);
}

async function expectContent(client: Client, { read }: Upload, at: At, content: Buffer): Promise<void> {
  const response = await client.send(read, { at });
  if (!isSuccess(response)) fail(`expected the upload, got ${response.status}`, response);
  if (response.bytes && !content.equals(response.bytes))
    fail(`expected the ${content.length} bytes that were uploaded, got ${response.bytes.length} others`, response);
}
