import cluster, { type Worker } from 'node:cluster';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { countForWorkers, type CountMessage, workersRateLimits } from '../../src/rate-limits/workers.ts';
import { RateLimitsUnavailableError } from '../../src/rate-limits/rate-limit-store.ts';

// The process of the tests has a channel of its own, to Jest.
const given = Object.getOwnPropertyDescriptor(process, 'send');
const ownListeners = process.rawListeners('message') as ((message: unknown) => void)[];
beforeEach(() => void process.removeAllListeners('message'));
afterEach(() => {
  process.removeAllListeners('message');
  for (const listener of ownListeners) process.on('message', listener);
  cluster.removeAllListeners('message');
  if (given) Object.defineProperty(process, 'send', given);
  else delete process.send;
});

/** Stands for the channel to the primary process, and what that does with a message. */
function primary(take: (message: CountMessage) => void): void {
  process.send = (message: CountMessage) => {
    setImmediate(take, message);
    return true;
  };
}

function toWorker(message: unknown): void {
  process.emit('message', message, undefined as never);
}

const limit = { name: 'credential', requests: 70, windowSeconds: 10 };

test('a limit of 70 lets exactly 70 of 120 requests through, each with a place of its own, in few messages', async () => {
  countForWorkers();
  let messages = 0;
  const worker = { send: toWorker } as unknown as Worker;
  primary((message) => {
    messages += 1;
    cluster.emit('message', worker, structuredClone(message));
  });
  const store = workersRateLimits(pino({ enabled: false }));
  const [count, countOther] = [store.counterOf(limit), store.counterOf({ ...limit, name: 'other', requests: 1 })];
  const counts = await Promise.all(Array.from({ length: 120 }, async () => count('a')));
  const accepted = counts.filter((counted) => counted.accepted);
  expect(accepted.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 70 }, (_, place) => 69 - place));
  expect(counts.filter((counted) => !counted.accepted)).toHaveLength(50);
  expect(messages).toBeLessThan(4);
  expect(await Promise.all([count('b'), countOther('a')])).toMatchObject([
    { accepted: true, remaining: 69, resetSeconds: 10 },
    { accepted: true, remaining: 0 },
  ]);
});

test('a primary process that falls silent makes requests unavailable, is logged once, and is used again', async () => {
  let silent = true;
  const late: CountMessage[] = [];
  const respond = ({ id, keys }: CountMessage) => {
    const counts = keys.map(() => ({ accepted: true, remaining: 4, resetSeconds: 9 }));
    toWorker({ type: 'document-analysis:counted', id, counts });
  };
  primary((message) => {
    if (silent) late.push(message);
    else respond(message);
  });
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => log.push((JSON.parse(line) as { msg: string }).msg) });
  const count = workersRateLimits(logger).counterOf(limit);

  const first = count('a');
  while (late.length === 0) await new Promise(setImmediate);
  // The second one comes while the first one waits, and waits no longer than that.
  for (const outcome of await Promise.allSettled([first, count('a')]))
    expect(outcome).toMatchObject({ reason: expect.any(RateLimitsUnavailableError) as unknown });
  expect(late).toHaveLength(1);

  silent = false;
  for (const message of late) respond(message);
  expect(await count('a')).toMatchObject({ accepted: true, remaining: 4 });
  expect(log).toEqual([
    'the primary process does not count requests: they get a 503',
    'the primary process counts requests again',
  ]);
});
