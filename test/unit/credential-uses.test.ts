import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { CredentialUses } from '../../src/runtime/watched-credentials.ts';
import type { CredentialUse } from '../../src/store/parts/credentials.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 2, 12, minute));
const use = (credential_id: string, minute: number) => ({ credential_id, last_used_at: at(minute).toISOString() });

let saves: CredentialUse[][];
let fault: Error | undefined;
let log: string[];
let uses: CredentialUses;
beforeEach(() => {
  jest.useFakeTimers();
  [saves, log, fault] = [[], [], undefined];
  const noteCredentialUses = (noted: readonly CredentialUse[]): Promise<void> => {
    if (fault) return Promise.reject(fault);
    saves.push([...noted]);
    return Promise.resolve();
  };
  const logger = pino({ base: null }, { write: (line: string) => log.push((JSON.parse(line) as { msg: string }).msg) });
  uses = new CredentialUses({ noteCredentialUses }, logger);
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
  expect(log).toEqual(['the last uses of credentials cannot be saved for now']);
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
  const kept = new CredentialUses(hanging, pino({ level: 'silent' }));
  kept.note('a', at(0));
  const startedAt = performance.now();
  await kept.close();
  expect(performance.now() - startedAt).toBeGreaterThan(1900);
});
