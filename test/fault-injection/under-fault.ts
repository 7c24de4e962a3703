import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from '../support/process.ts';
import type { Figures, ScenarioContext, ScenarioResult } from './scenario.ts';
import { type ServerOptions, type Site } from './site.ts';
import { Traffic } from './traffic.ts';

export const writers = 8;
const readers = 2;
const steadyMilliseconds = 1000;
const longestSeconds = 20;
const longestRecoverySeconds = 30;

/** A fault that is injected once or several times while clients call a running server. Updates get 200 or 503. */
export interface FaultUnderTraffic extends ServerOptions {
  /** The allowed statuses of reads; 200 and 503 by default. */
  readonly readStatuses?: readonly number[];
  readonly times?: number;
  /** Injects the fault, and ends it before it resolves. */
  readonly inflict: () => Promise<void>;
}

/**
 * Injects a fault while clients call a server, waits until updates succeed again, and checks the responses and the
 * stored data. The server is not restarted, and must exit with 0 on SIGTERM.
 */
export async function underFault(
  site: Site,
  { random, progress }: ScenarioContext,
  { times = 1, inflict, readStatuses = [200, 503], ...options }: FaultUnderTraffic,
): Promise<ScenarioResult> {
  await site.seed();
  const server = await site.serve(options);
  const clients = { url: server.url, key: site.key, random, writers, readers };
  const traffic = new Traffic({ ...clients, updateStatuses: [200, 503], readStatuses });
  const problems: string[] = [];
  let recoverySeconds = 0;
  for (let time = 1; time <= times; time += 1) {
    progress(`${time} of ${times}`);
    await sleep(steadyMilliseconds);
    await inflict();
    const over = performance.now();
    const recovered = await recoveredAfter(traffic, over);
    if (recovered === undefined) problems.push(`no update got 200 within ${longestRecoverySeconds} s`);
    recoverySeconds = Math.max(recoverySeconds, ((recovered ?? Infinity) - over) / 1000);
  }
  await sleep(steadyMilliseconds);
  await traffic.stop();
  const contradictions = await site.settle(traffic.updates);
  await stop(server);
  const figures = { ...figuresOf([traffic]), faults: times, recoverySeconds };
  if (figures.longestResponseSeconds > longestSeconds) problems.push(`a response took longer than ${longestSeconds} s`);
  if (figures.withoutResponse > 0) problems.push(`${figures.withoutResponse} requests got no response`);
  if (figures.refused === 0) problems.push('no request was refused: the fault had no effect');
  return { figures, problems: [...problems, ...traffic.problems, ...contradictions] };
}

export function figuresOf(traffics: readonly Traffic[]): Omit<Figures, 'faults' | 'recoverySeconds'> {
  const responses = traffics.flatMap((traffic) => traffic.responses);
  const count = (wanted: 'GET' | 'PUT') =>
    responses.filter(({ method, status }) => method === wanted && status === 200).length;
  return {
    updates: count('PUT'),
    reads: count('GET'),
    refused: responses.filter(({ status }) => status !== 200).length,
    withoutResponse: traffics.reduce((sum, { withoutResponse }) => sum + withoutResponse, 0),
    longestResponseSeconds: responses.reduce((longest, { seconds }) => Math.max(longest, seconds), 0),
  };
}

/** The time at which updates succeed again; undefined if that takes too long. */
export async function recoveredAfter(traffic: Traffic, moment: number): Promise<number | undefined> {
  while (performance.now() - moment < longestRecoverySeconds * 1000) {
    const at = traffic.firstUpdateAfter(moment);
    if (at !== undefined) return at;
    await sleep(20);
  }
  return undefined;
}
