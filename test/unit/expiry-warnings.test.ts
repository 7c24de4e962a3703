import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { warnOfExpiry } from '../../src/runtime/watched-credentials.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addCredential, addOrganisation } from '../support/tenants.ts';

const start = Date.parse('2026-03-02T12:00:00.000Z');
const day = 86_400_000;
const inDays = (days: number) => new Date(start + days * day).toISOString();

let opened = 0;
const folder = await TemporaryFolder.make();
afterEach(() => {
  jest.useRealTimers();
});

async function setUp(days: number[]) {
  jest.useFakeTimers({ now: start, doNotFake: ['nextTick', 'setImmediate'] });
  const store = openSqliteStore(join(folder.path, `${(opened += 1)}.sqlite`));
  const organisation = await addOrganisation(store);
  const credentials: { secret: string; credentialId: string }[] = [];
  for (const count of days)
    credentials.push(
      await addCredential(store, organisation, { kind: 'access-token', role: null, expires_at: inDays(count) }),
    );
  const text: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => text.push(line) });
  const stop = warnOfExpiry({ store, logger, now: () => new Date() });
  const lines = async () => {
    await store.check();
    return text.splice(0).map((line) => JSON.parse(line) as object);
  };
  const line = (index: number, level: number) => ({
    level,
    credentialId: credentials[index]?.credentialId,
    organisationId: organisation,
    expiresAt: inDays(days[index] ?? 0),
    msg: 'a credential expires soon',
  });
  return { store, credentials, lines, line, stop };
}

test('one line a credential at the start and once a day: within 30 days, and within 7 as a warning', async () => {
  const { store, credentials, lines, line, stop } = await setUp([7, 7.5, 30, 30.5, 0]);
  expect(await lines()).toEqual([line(0, 40), line(1, 30), line(2, 30)]);
  await jest.advanceTimersByTimeAsync(day - 1);
  expect(await lines()).toEqual([]);
  await store.revokeCredential(String(credentials[0]?.credentialId), inDays(0));
  await jest.advanceTimersByTimeAsync(1);
  expect(await lines()).toEqual([line(1, 40), line(2, 30), line(3, 30)]);
  stop();
  await jest.advanceTimersByTimeAsync(2 * day);
  expect(await lines()).toEqual([]);
});

test('at most a hundred lines, and one that there are more', async () => {
  const { lines } = await setUp(Array<number>(102).fill(1));
  const told = await lines();
  expect(told).toHaveLength(101);
  expect(told.at(-1)).toEqual({ level: 40, msg: 'more credentials expire soon: credential list shows them all' });
});

test('a store that does not respond is one line in the log', async () => {
  const text: string[] = [];
  const logger = pino({ base: null }, { write: (one: string) => text.push((JSON.parse(one) as { msg: string }).msg) });
  const store = { listExpiringCredentials: () => Promise.reject(new Error('away')) };
  warnOfExpiry({ store, logger, now: () => new Date(start) })();
  await new Promise((resolve) => setImmediate(resolve));
  expect(text).toEqual(['credentials that expire soon cannot be listed for now']);
});
