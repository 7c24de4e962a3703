import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteEngine } from '../engines.ts';
import type { Scenario } from '../scenario.ts';
import { Site } from '../site.ts';
import { underFault } from '../under-fault.ts';

const windowSeconds = 5;
const slackSeconds = 2;
/** After this long, what the step found in the middle has its response. */
const underWayMilliseconds = 200;
const shiftedClock = fileURLToPath(new URL('../shifted-clock.ts', import.meta.url));

export const clockBack: Scenario = {
  name: 'clock-back',
  fault:
    'the clock of the server steps back by an hour, twice, while 10 clients use up their limit (200 requests in 5 s)',
  holds:
    'requests get 200 or 429, and no Retry-After is longer than the window; a window ends after 5 s all the same; ' +
    'the audit log keeps its order',
  run: async (context) => {
    const site = await Site.create(sqliteEngine(context.folder));
    const result = await underFault(site, context, {
      preload: [shiftedClock],
      environment: { RATE_LIMIT_REQUESTS: '200', RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds) },
      readers: 2,
      updateStatuses: [200, 429],
      readStatuses: [200, 429],
      times: 2,
      inflict: async ({ pid }) => {
        process.kill(pid, 'SIGUSR2');
        await sleep(underWayMilliseconds);
      },
    });
    const late = result.figures.recoverySeconds > windowSeconds + slackSeconds;
    return { ...result, problems: [...result.problems, ...(late ? ['a window was longer than it may be'] : [])] };
  },
};
