import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNode } from '../../support/process.ts';
import { makeKey, signToken, startIssuer } from '../../support/issuer.ts';
import { connectRedis, noRedisServer, RedisServer } from '../../support/redis.ts';
import { addCase, addCredential } from '../../support/tenants.ts';
import { atExit, type Engine, sqliteEngine, withStore } from '../engines.ts';
import type { Scenario, ScenarioContext, ScenarioResult } from '../scenario.ts';
import { programFile, Site } from '../site.ts';
import { type FaultUnderTraffic, underFault } from '../under-fault.ts';

const windowSeconds = 5;
const slackSeconds = 2;
/** The time for requests in flight at a step to complete, and for the server to read the clock. */
const underWayMilliseconds = 200;
const analysisSeconds = 20;
const hour = 3600;
const shiftedClock = fileURLToPath(new URL('../shifted-clock.ts', import.meta.url));

/** The successive offsets of the clock from the correct time, in seconds. */
const shifts = [-hour, 3 * hour, 0] as const;
const steps = 'the clock of the server steps back by an hour, forward by four, and back by three';
const used = 'while 10 clients use up their limit (200 requests in 5 s)';
const holds =
  'requests get 200 or 429, and no Retry-After is longer than the window; each window ends after 5 s; ' +
  'the audit log keeps its order';

interface JumpOptions extends Partial<FaultUnderTraffic> {
  readonly beforeStep?: () => Promise<void>;
  readonly afterStep?: (shift: number, url: string) => Promise<void>;
}

/** Steps the clock of a server under traffic. */
async function jump(context: ScenarioContext, site: Site, jumping: JumpOptions): Promise<ScenarioResult> {
  const { beforeStep, afterStep, ...options } = jumping;
  const clock = `${context.folder}/clock`;
  await writeFile(clock, '0');
  const left = [...shifts];
  const result = await underFault(site, context, {
    preload: [shiftedClock],
    updateStatuses: [200, 429],
    readStatuses: [200, 429],
    times: shifts.length,
    inflict: async ({ url }) => {
      await beforeStep?.();
      const shift = left.shift() ?? 0;
      await writeFile(clock, String(shift));
      await sleep(underWayMilliseconds);
      await afterStep?.(shift, url);
    },
    ...options,
    environment: {
      CLOCK_SHIFT_FILE: clock,
      RATE_LIMIT_REQUESTS: '200',
      RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds),
      ...options.environment,
    },
  });
  const late = result.figures.recoverySeconds > windowSeconds + slackSeconds;
  return { ...result, problems: [...result.problems, ...(late ? ['a window was too long'] : [])] };
}

const inMemory: Scenario = {
  name: 'clock-jumps',
  fault: `${steps}, ${used}`,
  holds,
  run: async (context) => jump(context, await Site.create(sqliteEngine(context.folder)), {}),
};

const inRedis: Scenario = {
  name: 'clock-jumps-redis',
  fault:
    `${steps}, ${used} that is counted in Redis; each time, every key in Redis gets an hour more to live, as when ` +
    'the clock of Redis steps back',
  holds,
  missing: () => noRedisServer,
  run: async (context) => {
    const server = await RedisServer.start();
    const stop = atExit(() => void server.stop());
    const redis = await connectRedis(server.url());
    try {
      return await jump(context, await Site.create(sqliteEngine(context.folder)), {
        environment: { REDIS_URL: server.url().href },
        afterStep: async () => {
          for (const key of await redis.keys('*')) await redis.pExpire(key, (await redis.pTTL(key)) + hour * 1000);
        },
      });
    } finally {
      redis.destroy();
      stop();
    }
  },
};

const tokens: Scenario = {
  name: 'clock-jumps-tokens',
  fault: `${steps}, while files are analysed and two access tokens are used that are valid for half an hour`,
  holds:
    'the operator’s token and that of an identity provider get 200 while the clock is before their expiry, otherwise ' +
    '401; each file that was added before a step is analysed; the keys of the provider are not fetched again',
  run: async (context) => {
    const engine = sqliteEngine(context.folder);
    const site = await Site.create(engine);
    const issuerKey = makeKey('RS256');
    const issuer = await startIssuer([issuerKey]);
    const { caseId, token } = await addTokenAndCase(engine, site.organisationId);
    const from = new Date();
    const exp = Math.floor(from.getTime() / 1000) + hour / 2;
    const jwt = signToken({ ...issuer.claims(site.organisationId, from), exp }, issuerKey);
    const problems: string[] = [];
    const { keysUrl, issuer: name, audience } = issuer.provider;
    let files = 0;
    const analysed = async (url: string) => {
      for (let attempt = 0; attempt < analysisSeconds * 10; attempt += 1) {
        const response = await fetch(`${url}/cases/${caseId}`, { headers: { authorization: `Bearer ${token}` } });
        const { file_analysis_status: status } = (await response.json()) as { file_analysis_status?: string };
        if (status === 'file_analysis_complete') return true;
        await sleep(100);
      }
      return false;
    };
    try {
      const result = await jump(context, site, {
        environment: {
          RATE_LIMIT_REQUESTS: '1000000000',
          AUTH_JWKS_URL: keysUrl.href,
          AUTH_ISSUER: name,
          AUTH_AUDIENCE: audience,
        },
        refuses: false,
        beforeStep: async () => {
          await addFile(engine, context.folder, caseId, (files += 1));
        },
        afterStep: async (shift, url) => {
          const expected = shift < hour / 2 ? 200 : 401;
          for (const [kind, given] of Object.entries({ operator: token, provider: jwt })) {
            const { status } = await fetch(`${url}/cases/${caseId}`, { headers: { authorization: `Bearer ${given}` } });
            if (status !== expected) problems.push(`the token of the ${kind} got ${status} at ${shift} s`);
          }
          if (expected === 200 && !(await analysed(url))) problems.push(`a file was not analysed at ${shift} s`);
        },
      });
      if (issuer.fetches > 1) problems.push(`the keys were fetched ${issuer.fetches} times`);
      return { ...result, problems: [...result.problems, ...problems] };
    } finally {
      await issuer.close();
    }
  },
};

function addTokenAndCase(engine: Engine, organisationId: string) {
  return withStore(engine, async (store) => {
    const expires_at = new Date(Date.now() + (hour / 2) * 1000).toISOString();
    const credential = { kind: 'access-token', role: null, expires_at } as const;
    const { secret } = await addCredential(store, organisationId, credential);
    return { caseId: await addCase(store, organisationId), token: secret };
  });
}

/** Adds a file as its operator does. */
async function addFile({ environment }: Engine, folder: string, caseId: string, number: number): Promise<void> {
  const path = `${folder}/${number}.txt`;
  await writeFile(path, `Company number 0123456${number}`);
  const { ended, stderr } = startNode([programFile, 'file', 'add', caseId, path], environment);
  if ((await ended) !== 0) throw new Error(stderr());
}

/** The clock of a server or its dependency is set while clients call the server. */
export const clockJumps: readonly Scenario[] = [inMemory, inRedis, tokens];
