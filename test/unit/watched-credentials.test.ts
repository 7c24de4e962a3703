import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { saveCredentialUses, warnOfExpiry } from '../../src/runtime/watched-credentials.ts';
import type { CredentialUse } from '../../src/store/parts/credentials.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addCredential, addOrganisation } from '../support/tenants.ts';

const folder = await TemporaryFolder.make();
const messagesInto = (log: string[]) =>
  pino({ base: null }, { write: (line: string) => log.push((JSON.parse(line) as { msg: string }).msg) });

describe('the last uses of credentials', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 12, minute));
  const use = (credential_id: string, minute: number) => ({ credential_id, last_used_at: at(minute).toISOString() });

  let saves: CredentialUse[][];
  let fault: Error | undefined;
  let log: string[];
  let uses: ReturnType<typeof saveCredentialUses>;
  beforeEach(() => {
    jest.useFakeTimers();
    [saves, log, fault] = [[], [], undefined];
    const noteCredentialUses = (noted: readonly CredentialUse[]): Promise<void> => {
      if (fault) return Promise.reject(fault);
      saves.push([...noted]);
      return Promise.resolve();
    };
    uses = saveCredentialUses({ noteCredentialUses }, messagesInto(log));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const minute = () => jest.advanceTimersByTimeAsync(60_000);

  test('uses are saved together once a minute, the last of each credential, and nothing if there was none', async () => {
    for (let second = 0; second < 30; second += 1) uses.note('a', at(0));
    uses.note('b', at(1));
    uses.note('a', at(2));
    await jest.advanceTimersByTimeAsync(59_000);
    expect(saves).toEqual([]);
    await jest.advanceTimersByTimeAsync(1000);
    expect(saves).toEqual([[use('a', 2), use('b', 1)]]);
    await minute();
    expect(saves).toHaveLength(1);
  });

  test('many are saved in several short writes', async () => {
    for (let index = 0; index < 450; index += 1) uses.note(`c${index}`, at(0));
    await minute();
    expect(saves.map((noted) => noted.length)).toEqual([200, 200, 50]);
  });

  test('those that cannot be saved are kept for the next minute, and the log is told once', async () => {
    fault = new Error('away');
    uses.note('a', at(0));
    uses.note('b', at(0));
    await minute();
    uses.note('a', at(5));
    await minute();
    fault = undefined;
    await minute();
    expect(saves).toEqual([[use('a', 5), use('b', 0)]]);
    expect(log).toEqual(['the last uses of credentials cannot be saved']);
  });

  test('what is noted is saved at the end, and nothing after it', async () => {
    uses.note('a', at(0));
    await uses.close();
    expect(saves).toEqual([[use('a', 0)]]);
    uses.note('b', at(0));
    await minute();
    expect(saves).toHaveLength(1);
  });

  test('the end waits two seconds for a store that does not respond', async () => {
    jest.useRealTimers();
    const hanging = { noteCredentialUses: () => new Promise<void>(() => undefined) };
    const kept = saveCredentialUses(hanging, pino({ level: 'silent' }));
    kept.note('a', at(0));
    const startedAt = performance.now();
    await kept.close();
    expect(performance.now() - startedAt).toBeGreaterThan(1900);
  });
});

describe('the expiry of credentials is told by', () => {
  const start = Date.parse('2026-03-02T12:00:00.000Z');
  const day = 86_400_000;
  const inDays = (days: number) => new Date(start + days * day).toISOString();

  let opened = 0;
  afterEach(() => {
    jest.useRealTimers();
  });

  async function setUp(days: number[]) {
    jest.useFakeTimers({ now: start, doNotFake: ['nextTick', 'setImmediate'] });
    const store = openSqliteStore(join(folder.path, `${(opened += 1)}.sqlite`));
    const organisation = await addOrganisation(store);
    const credentials: { credentialId: string }[] = [];
    for (const expires_at of days.map(inDays))
      credentials.push(await addCredential(store, organisation, { kind: 'access-token', role: null, expires_at }));
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
    const store = { listExpiringCredentials: () => Promise.reject(new Error('away')) };
    warnOfExpiry({ store, logger: messagesInto(text), now: () => new Date(start) })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(text).toEqual(['credentials that expire soon cannot be listed']);
  });
});
