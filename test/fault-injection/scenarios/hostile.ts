import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileSummary } from '../../../src/domain/case.ts';
import { stop } from '../../support/process.ts';
import { addAccessToken, addCase, buildCase } from '../../support/tenants.ts';
import { type Engine, onEachEngine, withStore } from '../engines.ts';
import { startHostileClients } from '../hostile-clients.ts';
import type { ScenarioContext, ScenarioResult } from '../scenario.ts';
import { createSite } from '../site.ts';
import { figuresOf, recoveredAfter, Traffic, writers } from '../traffic.ts';

/** Ten clients that pause so long send some 200 requests a second. */
const thinkMilliseconds = 50;
const readers = 2;
const mostHostileSeconds = 1;
const mostGrowthMiBPerMinute = 3;
/** In less, neither latencies nor memory tell anything. */
const leastRounds = 30;
/** More than the system keeps for a client that reads none of a few responses. */
const filesOfLargeCase = 2000;
const unlimited = '1000000000';

/** The load beside hostile clients, on each engine. */
export const hostile = onEachEngine(
  'hostile',
  {
    fault:
      'for a second a round, 200 silent clients a round, 200 that send byte by byte, 20 that read nothing of a large case, ' +
      'and others that send no HTTP; each comes again after each close',
    holds:
      'beside a load of some 200 requests a second, each gets 200; 99 of 100 take less than a second then, and afterwards at ' +
      'most 25 ms more than twice what they took before; memory grows by less than 3 MiB a minute; nothing is logged as wrong',
  },
  besideHostileClients,
);

async function besideHostileClients(
  engine: Engine,
  { folder, rounds, random, progress }: ScenarioContext,
): Promise<ScenarioResult> {
  const site = await createSite(engine);
  const [file] = buildCase(['waiting_for_upload']).files;
  const files = Array.from({ length: filesOfLargeCase }, () => ({ ...file, file_id: randomUUID() }) as FileSummary);
  const large = buildCase([], { files });
  const token = await withStore(engine, async (store) => {
    await addCase(store, site.organisationId, large);
    return addAccessToken(store, site.organisationId);
  });
  await site.seed();
  const limits = { RATE_LIMIT_FAILED_AUTHENTICATIONS: unlimited, RATE_LIMIT_OTHER_REQUESTS: unlimited };
  const server = await site.serve({ environment: { DATA_DIR: folder, ...limits } });
  const clients = { url: server.url, key: site.key, random, writers, readers, thinkMilliseconds };
  const traffic = new Traffic({ ...clients, updateStatuses: [200], readStatuses: [200] });
  const phase = async (name: string, seconds: number) => {
    progress(name);
    const from = performance.now();
    const memory = [memoryMiB(server.child.pid)];
    for (let second = 0; second < seconds; second += 1) {
      await sleep(1000);
      memory.push(memoryMiB(server.child.pid));
    }
    return { memory, p99: traffic.percentile(0.99, from) };
  };

  await sleep(1000);
  const before = await phase('before', rounds);
  const endHostileClients = startHostileClients({
    port: Number(new URL(server.url).port),
    idleConnections: Math.min(200 * rounds, allowedConnections()),
    rampMilliseconds: rounds * 250,
    ...{ key: site.key, token, caseId: large.case_id },
  });
  const beside = await phase('beside hostile clients', rounds);
  const connections = await endHostileClients();
  const over = performance.now();
  const recoverySeconds = (((await recoveredAfter(traffic, over)) ?? Infinity) - over) / 1000;
  await phase('recovery', rounds / 5);
  const after = await phase('after', 3 * rounds);
  await traffic.stop();
  const contradictions = await site.settle(traffic.updates);
  await stop(server);

  const growth = growthPerMinute(after.memory);
  const bounds: [isMet: boolean, problem: string][] = [
    [beside.p99 < mostHostileSeconds, `p99 beside hostile clients is ${beside.p99} s`],
    [after.p99 <= 2 * before.p99 + 0.025, `p99 is ${before.p99} s before and ${after.p99} s after`],
    [growth < mostGrowthMiBPerMinute, `memory grows by ${growth} MiB a minute`],
  ];
  const problems = [
    ...bounds.flatMap(([isMet, problem]) => (isMet || rounds < leastRounds ? [] : [problem])),
    ...server.stderr().split('\n').filter(Boolean),
    ...Object.entries(connections).flatMap(([kind, count]) => (count > 0 ? [] : [`no client connected: ${kind}`])),
  ];
  const more = {
    ...{ p99Before: before.p99, p99Beside: beside.p99, p99After: after.p99 },
    ...{ mostMiB: Math.max(...beside.memory), growthMiBPerMinute: growth },
    connections: Object.values(connections).reduce((sum, count) => sum + count, 0),
  };
  const figures = { ...figuresOf([traffic]), faults: 1, recoverySeconds, more };
  return { figures, problems: [...problems, ...traffic.problems, ...contradictions] };
}

/** The resident memory of a process; where the system does not tell, none. */
function memoryMiB(pid = 0): number {
  if (process.platform !== 'linux') return 0;
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** How much the last quarter of samples, one a second, is above the first, for a minute. */
function growthPerMinute(samples: readonly number[]): number {
  const quarter = Math.ceil(samples.length / 4);
  const mean = (some: readonly number[]) => some.reduce((sum, value) => sum + value, 0) / some.length;
  return ((mean(samples.slice(-quarter)) - mean(samples.slice(0, quarter))) / (samples.length - quarter)) * 60;
}

/** How many connections this machine's limit on open files allows, with a reserve for all else. */
function allowedConnections(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { hard: number | 'unlimited' } } };
  const limit = userLimits?.open_files?.hard ?? 'unlimited';
  return limit === 'unlimited' ? Infinity : Math.max(0, limit - 1000);
}
