import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse } from '../run/model.ts';

const batchSize = 10;
const mostRequests = 2000;

/**
 * Sends until the quota is used up, so that the next request is one too many. If the window may end at once, it does so
 * again in the next one.
 * @throws {Error} if the target has no limit, or a very large one
 */
export async function exhaustQuota(send: () => Promise<HttpResponse>): Promise<void> {
  const seconds = await sendUntilRefused(send);
  if (seconds !== 1) return;
  await sleep(1000);
  await sendUntilRefused(send);
}

/** @returns in how many seconds the quota is given anew */
async function sendUntilRefused(send: () => Promise<HttpResponse>): Promise<number> {
  for (let sent = 0; sent < mostRequests; sent += batchSize) {
    const responses = await Promise.all(Array.from({ length: batchSize }, send));
    const last = responses.find((response) => response.status === 429 || limitOf(response).left === 0);
    if (last) return limitOf(last).seconds;
  }
  throw new Error(`${mostRequests} requests have not used up the limit`);
}

function limitOf({ headers }: HttpResponse): { left: number; seconds: number } {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(headers['ratelimit'] ?? '') ?? [];
  return { left: Number(left ?? NaN), seconds: Number(seconds ?? headers['retry-after'] ?? NaN) };
}
