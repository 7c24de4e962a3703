import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../../src/logger.js';

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
  logger.info({ status: 200 }, 'answered');
  return String(stream.read());
}

test('logs JSON lines to a file or a pipe, with nothing of the machine', async () => {
  expect(JSON.parse(await logged(false))).toEqual({
    level: 30,
    time: expect.any(Number) as unknown,
    status: 200,
    msg: 'answered',
  });
});

test('logs readable lines to a terminal', async () => {
  const line = await logged(true);
  expect(line).toMatch(/INFO.*answered/);
  expect(line).not.toContain('"msg"');
  expect(line).not.toContain('hidden');
});

test('colours a terminal, unless NO_COLOR is set', async () => {
  expect(await logged(true)).toContain('\u001b[');
  process.env['NO_COLOR'] = '1';
  expect(await logged(true)).not.toContain('\u001b[');
});
