import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { receive, send } from '../../../src/analysis/bounded-process/message.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();

test.each([1, 7, 1000])('the message of a job is received in pieces of %i bytes, whole or not at all', async (size) => {
  const path = await folder.write('message', '');
  const [descriptor, bytes] = [openSync(path, 'w'), Buffer.alloc(100, 1)];
  send(descriptor, { outcome: 'done' }, bytes);
  closeSync(descriptor);
  const content = await readFile(path);
  const piecesOf = (length: number) =>
    Readable.from(
      Array.from({ length: Math.ceil(length / size) }, (_, at) =>
        content.subarray(at * size, length).subarray(0, size),
      ),
    );
  expect(await receive(piecesOf(content.length), 100)).toEqual({ outcome: { outcome: 'done' }, bytes });
  expect(await receive(piecesOf(content.length - 1), 100)).toBeUndefined();
  await expect(receive(piecesOf(content.length), 99)).rejects.toThrow('and 100 more bytes');
});

test('the message of a job that has ended before it sent all of it is none', async () => {
  const closed = new Readable({ read: () => closed.destroy(new Error('closed')) });
  expect(await receive(closed, 0)).toBeUndefined();
});
