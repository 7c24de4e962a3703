/**
 * An open-loop load: requests leave at their times, however slow the responses are, and a latency counts from the time at
 * which the request was to leave. A closed loop, in which a client waits for its response, sends least when the server is
 * slowest, and so leaves out what matters (coordinated omission).
 */
import type { DemoData } from '../../src/demo/create-demo.ts';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request of the steady load, and the one response that is right. */
interface SoakRequest {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** What its body must contain. */
  readonly contains: string;
}

export const settingPath = '/organisations/features/verification';

/** Twenty requests: nine reads of the setting, six of a case, three updates, an update with a bad body, a bad key. */
export function requestMix(demo: DemoData): SoakRequest[] {
  const setting = { method: 'GET', path: settingPath, headers: { 'x-api-key': demo.owner_key } } as const;
  const read: SoakRequest = { ...setting, status: 200, contains: '"enabled":' };
  const headers = { authorization: `Bearer ${demo.access_token}` };
  const contains = `"case_id":"${demo.case_id}"`;
  const readCase: SoakRequest = { method: 'GET', path: `/cases/${demo.case_id}`, headers, status: 200, contains };
  const json = { ...setting.headers, 'content-type': 'application/json' };
  const put = (body: string) => ({ ...setting, method: 'PUT', headers: json, body }) as const;
  const update = (enabled: boolean): SoakRequest => {
    const body = JSON.stringify({ enabled });
    return { ...put(body), status: 200, contains: body };
  };
  const badBody: SoakRequest = { ...put('{"enabled":"yes"}'), status: 400, contains: '"error_code":' };
  const invalidToken = '"request.authentication.invalid-token"';
  const badKey: SoakRequest = {
    ...read,
    headers: { 'x-api-key': demo.revoked_key },
    status: 401,
    contains: invalidToken,
  };
  const quarter = [read, readCase, read, readCase];
  return [
    ...[...quarter, update(true), ...quarter, update(false), ...quarter],
    ...[read, badBody, update(true), read, badKey, read],
  ];
}

const timeoutMilliseconds = 10_000;
/** A client has to leave an unused connection before the server does, which waits 15 s, or its next request may be lost. */
const unusedMilliseconds = 12_000;

/** How one request ended. */
export interface Outcome {
  /** From the time at which it was to leave until its response was read. */
  readonly milliseconds: number;
  /** What was wrong with the response, or why there was none; undefined if it was right. */
  readonly fault: string | undefined;
}

/** Sends requests at a steady rate until the signal, and resolves when each is over. */
export async function runSteadyLoad(
  origin: string,
  mix: readonly SoakRequest[],
  ratePerSecond: number,
  { signal, onOutcome }: { signal: AbortSignal; onOutcome: (outcome: Outcome) => void },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, timeout: unusedMilliseconds });
  const inFlight = new Set<Promise<void>>();
  const start = performance.now();
  const until = async (due: number) => {
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  };
  for (let index = 0; ; index += 1) {
    const due = start + (index * 1000) / ratePerSecond;
    const next = mix[index % mix.length];
    if (!(await until(due)) || !next) break;
    const ended: Promise<void> = send(origin, next, agent).then((fault) => {
      onOutcome({ milliseconds: performance.now() - due, fault });
      inFlight.delete(ended);
    });
    inFlight.add(ended);
  }
  await Promise.all(inFlight);
  agent.destroy();
}

async function send(origin: string, sending: SoakRequest, agent: Agent): Promise<string | undefined> {
  const { method, path, headers, body, status, contains } = sending;
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const sent = request(`${origin}${path}`, { method, headers, agent, signal }).on('error', () => undefined);
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const received = await text(response);
    if (response.statusCode !== status) return `status ${response.statusCode} in place of ${status}`;
    return received.includes(contains) ? undefined : `status ${status} with another body`;
  } catch (error) {
    return signal.aborted ? 'no response in 10 s' : ((error as NodeJS.ErrnoException).code ?? String(error));
  }
}
