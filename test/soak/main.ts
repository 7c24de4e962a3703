/** `npm test -- soak`: a server under a steady load for minutes, and among clients that mean harm. Bounded, and not in CI. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { abortedByStopSignals, minutesUpTo, runCommandLine } from '../../scripts/command-line.ts';
import { type HostileReport, startHostileClients } from './hostile-clients.ts';
import { type Phase, recordPhase } from './recorder.ts';
import { type Engine, type SoakServer, withSoakServer } from './server.ts';
import { requestMix, runSteadyLoad } from './steady-load.ts';
import { type Finding, growthPerMinute, judge } from './verdict.ts';

interface Options {
  readonly minutes: number;
  /** Requests a second. */
  readonly rate: number;
  readonly engine: Engine;
  readonly idleConnections: number;
  /** The file of the program. */
  readonly program: string;
  readonly json: string;
}

/** All that a run has to tell. */
export interface SoakReport {
  readonly startedAt: string;
  readonly options: object;
  readonly machine: object;
  readonly met: boolean;
  readonly findings: readonly Finding[];
  readonly phases: readonly Phase[];
  readonly hostile: readonly HostileReport[];
}

/** How long the server has to warm up, and to recover from the hostile clients, at most. */
const longestPauseSeconds = 60;
const longestRampSeconds = 30;

async function main({ json, ...options }: Options): Promise<void> {
  const startedAt = new Date().toISOString();
  const stopped = abortedByStopSignals();
  await withSoakServer(options.program, options.engine, async (server) => {
    const phases: Phase[] = [];
    const problems: string[] = [];
    const lost = new AbortController();
    void server.ended.then(() => {
      lost.abort();
    });
    const signal = AbortSignal.any([stopped, lost.signal]);
    const hostile = await runPhases(options, { server, phases, problems, signal });
    if (lost.signal.aborted) problems.push('it ended before it was told to');
    server.child.kill('SIGTERM');
    const ended = await server.ended;
    // What it has written to stderr beside its log of what went well.
    const isComplaint = (line: string) => line !== '' && !/^\{"level":(10|20|30),/.test(line);
    const findings = judge(phases, [...problems, ...server.stderr().split('\n').filter(isComplaint)], ended);
    const met = !stopped.aborted && findings.every((finding) => finding.met !== false);
    const machine = { processors: cpus().length, model: cpus()[0]?.model, node: process.version };
    const report: SoakReport = { startedAt, options, machine, met, findings, phases, hostile };
    await mkdir(dirname(json), { recursive: true });
    await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
    console.table(hostile.map(({ name, connections, responses }) => ({ name, connections, ...responses })));
    for (const { promise, met: kept, seen } of findings)
      console.log(`${kept === undefined ? '-' : kept ? 'met' : 'NOT met'}: ${promise} (${seen})`);
    console.log(`${met ? 'Every bound met' : stopped.aborted ? 'Ended early' : 'A bound NOT met'}: ${json}`);
    process.exitCode = met ? exitCodes.done : exitCodes.failed;
  });
}

interface Parts {
  readonly server: SoakServer;
  readonly phases: Phase[];
  readonly problems: string[];
  readonly signal: AbortSignal;
}

/** A warm-up, then a while before, with and after hostile clients, as long each, and before the last a recovery. */
async function runPhases(
  { minutes, rate, idleConnections }: Omit<Options, 'json'>,
  { server, phases, problems, signal }: Parts,
): Promise<HostileReport[]> {
  const seconds = minutes * 60;
  const pauseSeconds = Math.min(longestPauseSeconds, seconds / 10);
  const phaseSeconds = (seconds - 2 * pauseSeconds) / 3;
  const over = new AbortController();
  let recorder = recordPhase('warm-up');
  const load = runSteadyLoad(server.origin, requestMix(server.demo), rate, {
    signal: over.signal,
    onOutcome: (outcome) => {
      recorder.outcome(outcome);
    },
  });
  const watch = async () => {
    const turn = () => sleep(Math.min(1, seconds / 60) * 1000, true, { signal: over.signal }).catch(() => false);
    while (await turn())
      try {
        recorder.state(await server.state());
      } catch (error) {
        problems.push(`its metrics could not be read: ${String(error)}`);
      }
  };
  const watched = watch();
  const last = async (name: string, forSeconds: number) => {
    recorder = recordPhase(name);
    await sleep(forSeconds * 1000, undefined, { signal }).catch(() => undefined);
    const phase = recorder.phase();
    phases.push(phase);
    console.log(lineOf(phase));
  };
  try {
    await last('warm-up', pauseSeconds);
    await last('before', phaseSeconds);
    const endHostile = startHostileClients({
      port: Number(new URL(server.origin).port),
      idleConnections,
      rampMilliseconds: Math.min(longestRampSeconds, phaseSeconds / 4) * 1000,
      ownerKey: server.demo.owner_key,
      accessToken: server.demo.access_token,
      caseId: server.largeCaseId,
    });
    await last('hostile', phaseSeconds);
    const hostile = await endHostile();
    await last('recovery', pauseSeconds);
    await last('after', phaseSeconds);
    return hostile;
  } finally {
    over.abort();
    await Promise.all([load, watched]);
  }
}

function lineOf({ name, seconds, requests, p50, p99, max, faults, memory, mostConnections }: Phase): string {
  const rss = memory.map(({ rssMiB }) => rssMiB);
  return [
    `${name.padEnd(8)} ${seconds.toFixed(0)} s  ${requests} requests  errors ${JSON.stringify(faults)}`,
    `p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)}  max ${max.toFixed(0)} ms  ${mostConnections} connections`,
    `RSS ${Math.min(...rss).toFixed(0)} to ${Math.max(...rss).toFixed(0)} MiB, ${growthPerMinute(memory).toFixed(2)} a minute`,
  ].join('  ');
}

/** How many idle connections of those wanted this machine's limit on open files allows, with a reserve for all else. */
function allowedConnections(wanted: number): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { hard: number | 'unlimited' } } };
  const limit = userLimits?.open_files?.hard ?? 'unlimited';
  const allowed = limit === 'unlimited' ? wanted : Math.max(0, Math.min(wanted, limit - 1000));
  if (allowed < wanted) console.log(`The limit on open files (ulimit -n) allows ${allowed} idle connections.`);
  return allowed;
}

const program = new Command('soak')
  .description(
    'Hold a server under a steady load: a warm-up, then a while before, with and after hostile clients. ' +
      'Ctrl-C ends it early.',
  )
  .option('--minutes <number>', 'how long', minutesUpTo(240), 10)
  .option('--rate <number>', 'requests a second', wholeNumber(1, 10_000), 200)
  .addOption(new Option('--engine <name>', 'the store').choices(['sqlite', 'postgres']).default('sqlite'))
  .option('--idle-connections <number>', 'how many clients connect and stay silent', wholeNumber(0, 100_000), 10_000)
  .option('--program <file>', 'the program to hold', 'dist/main.js')
  .option('--json <file>', 'where the whole result is written', 'reports/soak.json')
  .addHelpText(
    'after',
    '\nExamples:\n  $ npm test -- soak\n  $ npm test -- soak --minutes 1 --engine postgres\n' +
      '\nExit codes: 0 every bound met, 1 a bound not met or ended early, 2 wrong usage.',
  )
  .action((options: Options) => main({ ...options, idleConnections: allowedConnections(options.idleConnections) }));

await runCommandLine(program);
