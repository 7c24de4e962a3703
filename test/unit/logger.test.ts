import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../../src/runtime/logger.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const { NO_COLOR: noColor } = process.env;
beforeEach(() => {
  delete process.env['NO_COLOR'];
});
afterEach(() => {
  if (noColor === undefined) delete process.env['NO_COLOR'];
  else process.env['NO_COLOR'] = noColor;
});

async function logged(isTTY: boolean): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const logger = await createLogger('info', stream);
  logger.debug('hidden');
  logger.info({ status: 200 }, 'responded');
  return String(stream.read());
}

test('logs JSON lines to a file or a pipe, with nothing of the machine', async () => {
  expect(JSON.parse(await logged(false))).toEqual({
    level: 30,
    time: expect.any(Number) as unknown,
    status: 200,
    msg: 'responded',
  });
});

test('logs readable lines to a terminal', async () => {
  const line = await logged(true);
  expect(line).toMatch(/INFO.*responded/);
  expect(line).not.toContain('"msg"');
  expect(line).not.toContain('hidden');
});

test('colours a terminal, unless NO_COLOR is set', async () => {
  expect(await logged(true)).toContain('\u001b[');
  process.env['NO_COLOR'] = '1';
  expect(await logged(true)).not.toContain('\u001b[');
});

test('the lines of several loggers of one file come in their order, and each logger costs nothing', async () => {
  const folder = await TemporaryFolder.make();
  try {
    const path = join(folder.path, 'log');
    const stream = Object.assign(new PassThrough(), { fd: openSync(path, 'w') });
    const first = await createLogger('info', stream);
    const listeners = process.listenerCount('exit');
    const second = await createLogger('info', stream);
    for (let line = 0; line < 100; line += 2) {
      first.info({ line });
      second.info({ line: line + 1 });
    }
    expect(process.listenerCount('exit')).toBe(listeners);
    const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
    while (lines().length < 100) await sleep(10);
    expect(lines().map((text) => (JSON.parse(text) as { line: number }).line)).toEqual(
      Array.from({ length: 100 }).map((_, line) => line),
    );
  } finally {
    await folder.remove();
  }
});
