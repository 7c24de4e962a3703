// @ts-nocheck
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/logger.js';

async function logged(isTTY: boolean): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const logger = await createLogger('info', stream);
  logger.debug('hidden');
  logger.info({ status: 200 }, 'answered');
  return String(stream.read());
}

test('logs JSON lines to a file or a pipe', async () => {
  expect(JSON.parse(await logged(false))).toMatchObject({ level: 30, status: 200, msg: 'answered' });
});

test('logs readable lines to a terminal', async () => {
  const line = await logged(true);
  expect(line).toMatch(/INFO.*answered/);
  expect(line).not.toContain('"msg"');
});
