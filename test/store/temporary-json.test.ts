import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { TemporaryJson } from '../../src/store/case-texts/temporary-json.ts';
import { collect } from '../support/store-engines.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-analysis-temporary-'));
});
afterAll(() => rm(folder, { recursive: true }));

const content = `["${'ß'.repeat(200_000)}"]`;
const write = () => TemporaryJson.write<string[]>(folder, Readable.from([content.slice(0, 9), content.slice(9)]));

const read = async (json: TemporaryJson<string[]>) => {
  const { destination, taken } = collect();
  await json.lend()?.sendTo(destination);
  return taken();
};

test('is read whole by any number of clients at once', async () => {
  const json = await write();
  expect(json.lend()?.byteLength).toBe(Buffer.byteLength(content));
  for (const each of await Promise.all(Array.from({ length: 12 }, () => read(json)))) expect(each).toBe(content);
});

test('is read while it is being written, and its length is known when all of it is', async () => {
  const source = new PassThrough();
  const { destination, taken } = collect();
  let written: Promise<unknown> = Promise.resolve();
  const begun = new Promise<TemporaryJson<string[]>>((resolve) => {
    written = TemporaryJson.write(folder, source, resolve);
  });
  source.write(content.slice(0, 9));
  const lent = (await begun).lend();
  const sent = lent?.sendTo(destination);
  while (taken() !== content.slice(0, 9)) await nextTurn();
  expect(lent?.byteLength).toBeUndefined();
  source.end(content.slice(9));
  await sent;
  expect(taken()).toBe(content);
  await written;
  expect((await begun).lend()?.byteLength).toBe(Buffer.byteLength(content));
});

test('is there for a client that began to read it before it was released, and for no other', async () => {
  const json = await write();
  const { destination, taken } = collect();
  const sent = json.lend()?.sendTo(destination);
  json.release();
  await sent;
  expect(taken()).toBe(content);
  expect(json.lend()).toBeUndefined();
});

test.each([
  [
    'goes before all was sent',
    (destination: PassThrough) => void destination.once('data', () => destination.destroy()),
  ],
  ['had gone already', (destination: PassThrough) => void destination.destroy()],
])('is let go by a client that %s, which is no error', async (_name, leave) => {
  const json = await write();
  const destination = new PassThrough();
  leave(destination);
  await json.lend()?.sendTo(destination);
  json.release();
  expect(json.lend()).toBeUndefined();
});

test('is let go by a client that asks for its length alone', async () => {
  const json = await write();
  json.lend()?.discard();
  json.release();
  expect(json.lend()).toBeUndefined();
});

test('is cut off, and not kept, if its writing fails', async () => {
  const failing = Readable.from(
    (function* () {
      yield 'begun';
      throw new Error('the source failed');
    })(),
  );
  let begun: TemporaryJson<unknown> | undefined;
  let sent: Promise<void> | undefined;
  const writing = TemporaryJson.write(folder, failing, (json) => {
    begun = json;
    sent = json.lend()?.sendTo(collect().destination);
  });
  const [written, read] = await Promise.allSettled([writing, writing.catch(() => sent)]);
  for (const each of [written, read]) expect(each).toMatchObject({ reason: { message: 'the source failed' } });
  expect(() => begun?.lend()).toThrow('the source failed');
  await writeFile(join(folder, 'file'), '');
  await expect(TemporaryJson.write(join(folder, 'file'), failing)).rejects.toThrow(StoreUnavailableError);
});
