import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.ts';
import { sqliteEngine } from '../engines.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { Site, stopServer } from '../site.ts';
import type { Traffic } from '../traffic.ts';
import { figuresOf, recoveredAfter, startTraffic, writers } from '../under-fault.ts';

const workers = 2;
const longestSeconds = 30;
const [earliest, latest] = [50, 500];

/** A fifth of the rounds, because each takes several processes. */
const roundsOf = (rounds: number) => Math.ceil(rounds / 5);

export const killedWorker: Scenario = {
  name: 'killed-worker',
  fault: 'one of two workers is killed with SIGKILL while 8 clients update',
  holds:
    'only requests on its connections get no response; the other worker continues, and a new one replaces it; ' +
    'no update is partial',
  run: async (context) => {
    const { folder, random } = context;
    const site = await Site.create(sqliteEngine(folder));
    const faults = roundsOf(context.rounds);
    const args = ['--workers', String(workers), '--port', String(await freePort())];
    const server = await site.serve({ args, environment: { LOG_LEVEL: 'info' } });
    const traffics: Traffic[] = [];
    const problems: string[] = [];
    let [recoverySeconds, replacedSeconds] = [0, 0];
    for (let round = 1; round <= faults; round += 1) {
      context.progress(`${round} of ${faults}`);
      await site.seed();
      const traffic = startTraffic(site, server.url, random, { updateStatuses: [200] });
      await sleep(earliest + random() * (latest - earliest));
      const victim = childrenOf(server.child.pid)[Math.floor(random() * workers)] ?? 0;
      const killed = performance.now();
      process.kill(victim, 'SIGKILL');
      const recovered = await recoveredAfter(traffic, killed);
      const replaced = await until(() => server.stderr().split('a worker was replaced').length > round);
      await sleep(latest);
      await traffic.stop();
      traffics.push(traffic);
      if (recovered === undefined || replaced === undefined) problems.push('no worker replaced the killed one');
      if (traffic.withoutResponse > writers)
        problems.push(`${traffic.withoutResponse} requests got no response, with ${writers} clients`);
      recoverySeconds = Math.max(recoverySeconds, ((recovered ?? Infinity) - killed) / 1000);
      replacedSeconds = Math.max(replacedSeconds, ((replaced ?? Infinity) - killed) / 1000);
      problems.push(...traffic.problems, ...(await site.settle(traffic.updates)).problems);
    }
    await stopServer(server);
    const more = { 'seconds to a new worker, the longest': replacedSeconds };
    return { figures: { ...figuresOf(traffics), faults, recoverySeconds, more }, problems };
  },
};

export const killedPrimary: Scenario = {
  name: 'killed-primary',
  fault: 'the primary of two workers is killed with SIGKILL while 8 clients update',
  holds: 'its workers exit; no update is partial; the next server starts on the remaining data',
  run: async (context: ScenarioContext) => {
    const { folder, random, progress } = context;
    const site = await Site.create(sqliteEngine(folder));
    const faults = roundsOf(context.rounds);
    const traffics: Traffic[] = [];
    const problems: string[] = [];
    let [recoverySeconds, endedSeconds] = [0, 0];
    for (let round = 1; round <= faults; round += 1) {
      progress(`${round} of ${faults}`);
      await site.seed();
      const began = performance.now();
      const server = await site.serve({ args: ['--workers', String(workers)] });
      const traffic = startTraffic(site, server.url, random, { updateStatuses: [200] });
      await sleep(earliest + random() * (latest - earliest));
      const left = childrenOf(server.child.pid);
      server.child.kill('SIGKILL');
      const killed = performance.now();
      const ended = await until(() => !left.some(isRunning));
      await traffic.stop();
      traffics.push(traffic);
      if (ended === undefined) problems.push(`a worker still runs ${longestSeconds} s after its primary was killed`);
      recoverySeconds = Math.max(recoverySeconds, ((traffic.firstUpdateAfter(began) ?? began) - began) / 1000);
      endedSeconds = Math.max(endedSeconds, ((ended ?? Infinity) - killed) / 1000);
      problems.push(...traffic.problems, ...(await site.settle(traffic.updates)).problems);
    }
    const more = { 'seconds until the workers had ended, the longest': endedSeconds };
    return { figures: { ...figuresOf(traffics), faults, recoverySeconds, more }, problems };
  },
};

/** The time at which a condition becomes true; undefined if that takes too long. */
async function until(holds: () => boolean): Promise<number | undefined> {
  const began = performance.now();
  while (performance.now() - began < longestSeconds * 1000) {
    if (holds()) return performance.now();
    await sleep(20);
  }
  return undefined;
}

function childrenOf(pid = 0): number[] {
  try {
    const text = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return text.trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** A process that has ended stays visible until its parent has read its exit status. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
