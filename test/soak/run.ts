import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, makeData, type SoakData } from './data.ts';
import { type HostileReport, startHostileClients } from './hostile.ts';
import { Recorder } from './recorder.ts';
import { describeLine, machine, type SoakReport } from './report.ts';
import { requestMix, runSteadyLoad } from './steady-load.ts';
import { complaintsOf, type SoakServer, startServer } from './server.ts';
import { judge } from './verdict.ts';

export interface SoakOptions {
  readonly minutes: number;
  /** Requests a second. */
  readonly rate: number;
  readonly engine: Engine;
  readonly idleConnections: number;
  /** The file of the program. */
  readonly program: string;
}

/** How long the server has to warm up, and to recover from the hostile clients, at most. */
const longestPauseSeconds = 60;
const lineSeconds = 10;
const rampSeconds = 30;

/**
 * Runs a server under a steady load: a warm-up, then a while before, with and after hostile clients, as long each, and before
 * the last a recovery. The signal ends it early.
 * @throws {Error} if the data cannot be made or the server does not start
 */
export async function runSoak(
  options: SoakOptions,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<SoakReport> {
  const startedAt = new Date().toISOString();
  const data = await makeData(options.program, options.engine);
  try {
    const server = await startServer(options.program, data);
    const recorder = new Recorder();
    const problems: string[] = [];
    const lost = new AbortController();
    void server.ended.then(() => {
      lost.abort();
    });
    const either = AbortSignal.any([signal, lost.signal]);
    const parts = { server, data, recorder, problems, signal: either, tell };
    let hostile: HostileReport[];
    try {
      hostile = await runPhases(options, parts);
    } finally {
      if (lost.signal.aborted) problems.push('it ended before it was told to');
      server.child.kill('SIGTERM');
      await server.ended;
    }
    const phases = recorder.phases();
    const findings = judge(phases, [...problems, ...complaintsOf(server)], await server.ended);
    return {
      startedAt,
      options,
      machine: machine(),
      interrupted: signal.aborted,
      held: !signal.aborted && findings.every(({ held }) => held !== false),
      findings,
      phases,
      hostile,
      lines: recorder.lines,
    };
  } finally {
    await data.remove();
  }
}

interface Parts {
  readonly server: SoakServer;
  readonly data: SoakData;
  readonly recorder: Recorder;
  readonly problems: string[];
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

async function runPhases(options: SoakOptions, parts: Parts): Promise<HostileReport[]> {
  const { server, data, recorder, problems, signal, tell } = parts;
  const seconds = options.minutes * 60;
  const pauseSeconds = Math.min(longestPauseSeconds, seconds / 10);
  const phaseSeconds = (seconds - 2 * pauseSeconds) / 3;
  const over = new AbortController();
  const last = (forSeconds: number) => sleep(forSeconds * 1000, undefined, { signal }).catch(() => undefined);

  recorder.begin('warm-up');
  const load = runSteadyLoad(server.origin, requestMix(data.demo), options.rate, {
    signal: over.signal,
    onOutcome: (outcome) => {
      recorder.outcome(outcome);
    },
  });
  const watch = repeat(Math.min(1, seconds / 60), over.signal, async () => {
    try {
      recorder.state(await server.state());
    } catch (error) {
      problems.push(`its metrics could not be read: ${String(error)}`);
    }
  });
  const report = repeat(Math.min(lineSeconds, seconds / 6), over.signal, () => {
    const line = recorder.line();
    if (line) tell(describeLine(line));
  });
  try {
    await last(pauseSeconds);
    recorder.begin('before');
    await last(phaseSeconds);
    recorder.begin('hostile');
    const endHostile = startHostileClients({
      port: Number(new URL(server.origin).port),
      idleConnections: options.idleConnections,
      rampMilliseconds: Math.min(rampSeconds, phaseSeconds / 4) * 1000,
      ownerKey: data.demo.owner_key,
      accessToken: data.demo.access_token,
      caseId: data.largeCaseId,
    });
    await last(phaseSeconds);
    const hostile = await endHostile();
    recorder.begin('recovery');
    await last(pauseSeconds);
    recorder.begin('after');
    await last(phaseSeconds);
    return hostile;
  } finally {
    recorder.end();
    over.abort();
    await Promise.all([load, watch, report]);
  }
}

/** Does the work every so many seconds until the signal. */
async function repeat(seconds: number, signal: AbortSignal, work: () => Promise<void> | void): Promise<void> {
  const turn = () => sleep(seconds * 1000, true, { signal }).catch(() => false);
  while (await turn()) await work();
}
