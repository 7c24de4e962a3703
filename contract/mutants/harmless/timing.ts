import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { isOperation, isUpdate } from '../requests.ts';

const isReading = (request: ProxiedRequest) => isOperation('getVerificationSetting', request);

/** Delays requests to the server, and responses to the caller. */
function waiting(
  name: string,
  differs: string,
  wait: (request: ProxiedRequest, count: number) => readonly [before: number, after: number],
): Mutant {
  return {
    name,
    breaks: differs,
    start: ({ forward }) => {
      let requests = 0;
      return async (request) => {
        const [before, after] = wait(request, (requests += 1));
        if (before > 0) await sleep(before);
        const response = await forward(request);
        if (after > 0) await sleep(after);
        return response;
      };
    },
  };
}

/** A pseudo-random fraction that depends only on the number. */
const scattered = (count: number) => (Math.sin(count * 12.9898) * 43_758.5453) % 1;

/** The same responses, sooner or later. */
export const timingVariants: readonly Mutant[] = [
  waiting('jitter', 'every fourth response takes up to 30 ms, before it is made or afterwards', (_request, count) => {
    const ms = Math.abs(scattered(count)) * 30;
    if (count % 4 !== 0) return [0, 0];
    return count % 8 === 0 ? [ms, 0] : [0, ms];
  }),
  waiting('updates-slow-to-begin', 'updates that wait 15 ms before they begin', (request) =>
    isUpdate(request) ? [15, 0] : [0, 0],
  ),
  waiting('updates-slow-to-end', 'updates whose responses wait 15 ms', (request) =>
    isUpdate(request) ? [0, 15] : [0, 0],
  ),
  waiting('readings-slow-to-end', 'readings of the setting whose responses wait 8 ms', (request) =>
    isReading(request) ? [0, 8] : [0, 0],
  ),
  waiting('slow-once-in-a-while', 'a pause of 400 ms before every 500th request', (_request, count) =>
    count % 500 === 0 ? [400, 0] : [0, 0],
  ),
  {
    name: 'one-update-at-a-time',
    breaks: 'updates one after the other, each when the one before has its response',
    start: ({ forward }) => {
      let last: Promise<unknown> = Promise.resolve();
      return (request) => {
        if (!isUpdate(request)) return forward(request);
        const response = last.then(() => forward(request));
        last = response.catch(() => undefined);
        return response;
      };
    },
  },
];
