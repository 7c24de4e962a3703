/** States of a target, beside the usual one, in which situations are asked, and what the oracle must know of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorOf } from '../own-api/requests.ts';
import { limitOf } from '../oracle/expected.ts';
import type { World } from '../oracle/world.ts';
import type { CheckContext, HttpResponse, LimitedBy, Need, RequestSpec } from '../run/model.ts';
import { limitStatedBy, longestWaitSeconds } from '../run/limits.ts';
import type { Scene } from './parameters.ts';

export interface State {
  /** What is promised in it, as the ids of checks say it. */
  readonly id: 'limit' | 'address-limit' | 'failure';
  /** As it ends the name of a situation. */
  readonly name: string;
  readonly needs: readonly Need[];
  readonly usesUp?: LimitedBy;
  /** Tells the oracle. @returns takes that back */
  readonly tell: (world: World, scene: Scene) => () => void;
  readonly enter: (context: CheckContext, scene: Scene) => Promise<Entered>;
}

/** A state that has been entered. */
export interface Entered {
  /** When it may end by itself. */
  readonly until: number;
  readonly leave: () => Promise<void>;
}

/** The limit that requests like this one count against is used up. @param by whose limit it is */
export function limitSpent(
  name: string,
  by: LimitedBy,
  needs: readonly Need[],
  spending: (scene: Scene) => RequestSpec,
): State {
  return {
    id: by === 'address' ? 'address-limit' : 'limit',
    name: `once ${name} has used up its limit`,
    needs: ['exhausting-limits', ...needs],
    usesUp: by,
    tell: (world, scene) => {
      const limit = limitOf(spending(scene), world);
      world.spent.add(limit);
      return () => world.spent.delete(limit);
    },
    enter: async (context, scene) => {
      const { until } = await useUp(() => context.call(spending(scene)));
      return { until, leave: () => Promise.resolve() };
    },
  };
}

/** The store fails, so that each request with a valid credential gets 500, or 503 if it is disconnected. */
export const storeFailing: readonly State[] = ([500, 503] as const).map((status) => ({
  id: 'failure',
  name: status === 500 ? 'while the store is broken' : 'while the store is disconnected',
  needs: ['operator'],
  tell: (world) => {
    world.failing = status;
    return () => void (world.failing = undefined);
  },
  enter: async (context) => {
    const operator = operatorOf(context);
    const leave = await (status === 500 ? operator.breakStore() : operator.disconnectStore());
    return { until: Infinity, leave };
  },
}));

const attempts = 3;

/** The response to a situation in its state, which it enters and leaves; once more if the state may have ended meanwhile. */
export async function askPlainly(
  { state, request }: { readonly state?: State; readonly request: (scene: Scene) => RequestSpec },
  context: CheckContext,
  send: (request: RequestSpec) => Promise<HttpResponse> = (sent) => context.call(sent),
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const entered = await state?.enter(context, context);
    try {
      const response = await send(request(context));
      const mayBeOver = entered && performance.now() >= entered.until && response.status !== 429;
      if (!mayBeOver || attempt === attempts) return response;
    } finally {
      await entered?.leave();
    }
  }
}

const batch = 25;
const mostRequests = 2000;

/**
 * Sends a request until its limit refuses it, or states that nothing is left.
 * @returns the refusal, if there was one, how many requests were left before it, and when the limit may be renewed
 * @throws {Error} if the target has no limit, or a very large one
 */
export async function useUp(
  send: () => Promise<HttpResponse>,
): Promise<{ refusal: HttpResponse | undefined; left: number; until: number }> {
  let left = 1;
  for (let sent = 0; sent < mostRequests;) {
    const size = Math.max(1, Math.min(batch, left));
    const sentAt = performance.now();
    const responses = await Promise.all(Array.from({ length: size }, send));
    sent += size;
    const stated = responses.map((response) => ({ response, limit: limitStatedBy(response) }));
    const refusal = responses.find(({ status }) => status === 429);
    const least = Math.min(...stated.map(({ limit }) => limit?.left ?? batch));
    const last = refusal ?? stated.find(({ limit }) => limit?.left === 0)?.response;
    // The target rounds the seconds up.
    const seconds = last && (limitStatedBy(last)?.seconds ?? (Number(last.headers['retry-after']) || 0));
    if (seconds !== undefined) return { refusal, left: refusal ? left : 0, until: sentAt + (seconds - 1) * 1000 };
    left = least;
  }
  throw new Error(`expected 429 after at most ${mostRequests} requests, got none`);
}

/** Waits as a refusal asks, so that its limit is renewed. */
export async function awaitRenewal({ headers }: HttpResponse): Promise<void> {
  await sleep(1000 * Math.min(longestWaitSeconds, Number(headers['retry-after']) || 1));
}
