import type { HttpResponse } from '../run/model.ts';
import { limitStatedBy } from '../run/limits.ts';

const batchSize = 10;
const mostRequests = 2000;
const attempts = 3;

/**
 * Sends requests until the quota is used up, and then one more. Repeats all of it if the window may have ended
 * meanwhile, as it does on a busy machine.
 * @throws {Error} if the target has no limit, or a very large one
 */
export async function sendPastQuota(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const renewedAt = await exhaustQuota(send);
    const response = await send();
    if (response.status === 429 || performance.now() < renewedAt || attempt === attempts) return response;
  }
}

/** @returns the earliest time at which the quota may be renewed: the target rounds the seconds up */
async function exhaustQuota(send: () => Promise<HttpResponse>): Promise<number> {
  for (let sent = 0; sent < mostRequests; sent += batchSize) {
    const sentAt = performance.now();
    const responses = await Promise.all(Array.from({ length: batchSize }, send));
    const last = responses.find((response) => response.status === 429 || limitOf(response).left === 0);
    if (last) return sentAt + Math.max(0, limitOf(last).seconds - 1) * 1000;
  }
  throw new Error(`${mostRequests} requests have not used up the limit`);
}

function limitOf(response: HttpResponse): { left: number; seconds: number } {
  return limitStatedBy(response) ?? { left: NaN, seconds: Number(response.headers['retry-after']) || 0 };
}
