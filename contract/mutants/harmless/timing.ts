import { setTimeout as sleep } from 'node:timers/promises';
import type { Variant, ProxiedRequest } from '../mutant.ts';
import { isReading, isUpdate } from '../requests.ts';

/** Delays requests to the server, and responses to the caller. */
function waiting(
  name: string,
  differs: string,
  wait: (request: ProxiedRequest, count: number) => readonly [before: number, after: number],
): Variant {
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
export const timingVariants: readonly Variant[] = [
  waiting('jitter', 'a delay of up to 30 ms before or after every fourth request is processed', (_request, count) => {
    const ms = Math.abs(scattered(count)) * 30;
    if (count % 4 !== 0) return [0, 0];
    return count % 8 === 0 ? [ms, 0] : [0, ms];
  }),
  waiting('updates-slow-to-begin', 'a delay of 15 ms before each update', (request) =>
    isUpdate(request) ? [15, 0] : [0, 0],
  ),
  waiting('updates-slow-to-end', 'a delay of 15 ms after each update', (request) =>
    isUpdate(request) ? [0, 15] : [0, 0],
  ),
  waiting('readings-slow-to-end', 'a delay of 8 ms after each read of the setting', (request) =>
    isReading(request) ? [0, 8] : [0, 0],
  ),
  waiting('slow-once-in-a-while', 'a pause of 400 ms before every 500th request', (_request, count) =>
    count % 500 === 0 ? [400, 0] : [0, 0],
  ),
  {
    name: 'one-update-at-a-time',
    breaks: 'updates processed one at a time',
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
