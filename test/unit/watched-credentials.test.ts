import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import type { ListedCredential } from '../../src/domain/credential.ts';
import { saveCredentialUses, warnOfExpiry } from '../../src/runtime/watched-credentials.ts';
import type { CredentialUse } from '../../src/store/parts/credentials.ts';
import type { Store } from '../../src/store/store.ts';

describe('the last uses of credentials', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 12, minute));
  const use = (credential_id: string, minute: number) => ({ credential_id, last_used_at: at(minute).toISOString() });

  let saves: CredentialUse[][];
  let fault: Error | undefined;
  let log: string;
  let uses: ReturnType<typeof saveCredentialUses>;
  beforeEach(() => {
    jest.useFakeTimers();
    [saves, log, fault] = [[], '', undefined];
    const noteCredentialUses = (noted: readonly CredentialUse[]): Promise<void> => {
      if (fault) return Promise.reject(fault);
      saves.push([...noted]);
      return Promise.resolve();
    };
    uses = saveCredentialUses({ noteCredentialUses }, pino({}, { write: (line: string) => (log += line) }));
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
    expect(log).toMatch(/^.*the last uses of credentials cannot be saved.*\n$/);
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
  const expiring = (...all: number[]) =>
    all.map(
      (days) => ({ credential_id: `${days}`, organisation_id: 'o', expires_at: inDays(days) }) as ListedCredential,
    );
  const line = (days: number, level: number) => {
    const facts = { credentialId: `${days}`, organisationId: 'o', expiresAt: inDays(days) };
    return { level, ...facts, msg: 'a credential expires soon' };
  };

  afterEach(() => {
    jest.useRealTimers();
  });

  function warn(list: () => Promise<ListedCredential[]>) {
    jest.useFakeTimers({ now: start, doNotFake: ['nextTick', 'setImmediate'] });
    const text: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => text.push(line) });
    const listExpiringCredentials = jest.fn<Store['listExpiringCredentials']>(list);
    const stop = warnOfExpiry({ store: { listExpiringCredentials }, logger, now: () => new Date() });
    const lines = async () => {
      await new Promise(setImmediate);
      return text.splice(0).map((line) => JSON.parse(line) as { msg: string });
    };
    return { listExpiringCredentials, lines, stop };
  }

  test('one line a credential at the start and once a day: within 30 days, and within 7 as a warning', async () => {
    const { listExpiringCredentials, lines, stop } = warn(() => Promise.resolve(expiring(7, 7.5, 30)));
    expect(await lines()).toEqual([line(7, 40), line(7.5, 30), line(30, 30)]);
    expect(listExpiringCredentials).toHaveBeenCalledWith({ from: inDays(0), until: inDays(30), limit: 101 });
    await jest.advanceTimersByTimeAsync(day - 1);
    expect(await lines()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await lines()).toEqual([line(7, 40), line(7.5, 40), line(30, 30)]);
    stop();
    await jest.advanceTimersByTimeAsync(2 * day);
    expect(await lines()).toEqual([]);
  });

  test('at most a hundred lines, and one that there are more; a store that does not respond is one line', async () => {
    const told = await warn(() => Promise.resolve(expiring(...Array<number>(101).fill(1)))).lines();
    expect(told).toHaveLength(101);
    expect(told.at(-1)).toEqual({ level: 40, msg: 'more credentials expire soon: credential list shows them all' });
    const away = await warn(() => Promise.reject(new Error('away'))).lines();
    expect(away.map(({ msg }) => msg)).toEqual(['credentials that expire soon cannot be listed']);
  });
});
