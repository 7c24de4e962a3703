import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpResponse, CheckContext, RequestSpec } from '../run/model.ts';
import { longestWaitSeconds } from '../run/pacing.ts';
import { limitStatedBy } from '../run/rate-limit-fields.ts';
import { expectThat } from './expect.ts';

const most = 2000;
const batch = 25;
const attempts = 3;
const roomNeeded = 5;

/**
 * Does the work while the limit of this request is used up, and retries it if the limit was renewed meanwhile. Later
 * checks wait until the limit is renewed, because the pacing has seen that it is used up.
 */
export async function whileUsedUp(
  context: CheckContext,
  spending: RequestSpec,
  work: (refusal: HttpResponse) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await useUp(context, spending);
    try {
      await work(refusal);
      return;
    } catch (error) {
      const { status } = await context.call(spending);
      if (status === 429 || attempt === attempts) throw error;
    }
  }
}

/** Waits until a few more requests of this kind are allowed by their limit. */
export async function awaitRoom(context: CheckContext, request: RequestSpec): Promise<void> {
  for (let waited = 0; waited < longestWaitSeconds; waited += 1) {
    const response = await context.call(request);
    const limit = limitStatedBy(response);
    if (limit ? limit.left >= roomNeeded : response.status !== 429) return;
    await sleep(1000);
  }
}

/** Sends the request until its limit refuses it, and returns the refusal. */
async function useUp(context: CheckContext, request: RequestSpec): Promise<HttpResponse> {
  let left = 1;
  for (let sent = 0; sent < most;) {
    const size = Math.max(1, Math.min(batch, left));
    const responses = await Promise.all(Array.from({ length: size }, () => context.call(request)));
    sent += size;
    const refusal = responses.find(({ status }) => status === 429);
    if (refusal) return refusal;
    const wasUsedUp = left === 0;
    left = Math.min(...responses.map((response) => limitStatedBy(response)?.left ?? batch));
    expectThat(!wasUsedUp || left > 0, '429 once RateLimit states r=0', String(responses[0]?.status));
  }
  throw new Error(`expected 429 after at most ${most} requests, got none`);
}
