import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../generated/operations.ts';
import type { HttpResponse } from '../../contract/oracle/messages.ts';
import { responseViolations } from '../../contract/oracle/response.ts';
import type { Update } from './ledger.ts';

const { path } = operations.updateVerificationSetting;
const responseMilliseconds = 60_000;
const pauseMilliseconds = 20;
const longestRecoverySeconds = 30;

/** The clients that update in every scenario. */
export const writers = 8;

/** The clients, and the statuses that they may get. */
interface TrafficOptions {
  readonly url: string;
  readonly key: string;
  readonly random: () => number;
  readonly writers: number;
  readonly readers: number;
  readonly updateStatuses: readonly number[];
  readonly readStatuses: readonly number[];
  /** How long a client waits after each response; it does not by default. */
  readonly thinkMilliseconds?: number;
}

interface CompletedRequest {
  readonly method: 'GET' | 'PUT';
  readonly status: number;
  /** The time of the response, by `performance.now()`. */
  readonly at: number;
  readonly seconds: number;
}

/** Clients that call until they are stopped. Each sends its next request as soon as it has the last response. */
export class Traffic {
  readonly updates: Update[] = [];
  readonly responses: CompletedRequest[] = [];
  /** Responses that violate the document or have an unexpected status, with the number of equal ones. */
  readonly wrong = new Map<string, number>();
  withoutResponse = 0;
  readonly #options: TrafficOptions;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #clients: Promise<unknown>;
  #stopped = false;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const clients = (count: number, call: () => Promise<number>) =>
      Array.from({ length: count }, () => this.#repeat(call));
    this.#clients = Promise.all([
      ...clients(options.writers, () => this.#update()),
      ...clients(options.readers, () => this.#call('GET', {})),
    ]);
  }

  /** Resolves when the clients have received their last responses. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
    this.#agent.destroy();
  }

  /** The time of the first update with 200 after a given time of `performance.now()`; undefined if there is none. */
  firstUpdateAfter(moment: number): number | undefined {
    return this.responses.find(({ method, status, at }) => method === 'PUT' && status === 200 && at > moment)?.at;
  }

  /** How long responses took, in seconds, of those that came after a given time of `performance.now()`. */
  percentile(share: number, moment: number): number {
    const seconds = this.responses
      .flatMap((response) => (response.at > moment ? [response.seconds] : []))
      .sort((a, b) => a - b);
    return seconds[Math.floor(share * seconds.length)] ?? Infinity;
  }

  get problems(): string[] {
    return [...this.wrong].map(([problem, times]) => `${problem} (${times} times)`);
  }

  async #repeat(call: () => Promise<number>): Promise<void> {
    const { thinkMilliseconds = 0 } = this.#options;
    while (!this.#stopped) {
      const wait = (await call()) === 200 ? thinkMilliseconds : pauseMilliseconds;
      if (wait > 0) await sleep(wait);
    }
  }

  async #update(): Promise<number> {
    const update: Update = { requestId: randomUUID(), enabled: this.#options.random() < 0.5, confirmed: false };
    this.updates.push(update);
    const status = await this.#call('PUT', {
      headers: { 'content-type': 'application/json', 'x-request-id': update.requestId },
      body: JSON.stringify({ enabled: update.enabled }),
    });
    update.confirmed = status === 200;
    return status;
  }

  /** Returns the status of the response, or 0 if there is none. */
  async #call(
    method: CompletedRequest['method'],
    request: { headers?: Record<string, string>; body?: string },
  ): Promise<number> {
    const { url, key, updateStatuses, readStatuses } = this.#options;
    const began = performance.now();
    try {
      const headers = { ...request.headers, 'x-api-key': key };
      const response = await this.#send(new URL(path, url), method, headers, request.body);
      const { status } = response;
      const at = performance.now();
      this.responses.push({ method, status, at, seconds: (at - began) / 1000 });
      for (const { message } of responseViolations(method, path, response))
        this.#note(`${method} ${status}: ${message}`);
      if (!(method === 'PUT' ? updateStatuses : readStatuses).includes(status)) this.#note(`${method} got ${status}`);
      return status;
    } catch (error) {
      this.withoutResponse += 1;
      if (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name))
        this.#note(`${method} got no response in a minute`);
      return 0;
    }
  }

  /** Sends a request over a persistent connection, without retries. */
  async #send(url: URL, method: string, headers: Record<string, string>, body = ''): Promise<HttpResponse> {
    const signal = AbortSignal.timeout(responseMilliseconds);
    const sent = http.request(url, { method, agent: this.#agent, signal, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response', { signal })) as [http.IncomingMessage];
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
      text: await text(response),
    };
  }

  #note(problem: string): void {
    this.wrong.set(problem, (this.wrong.get(problem) ?? 0) + 1);
  }
}

export function figuresOf(traffics: readonly Traffic[]) {
  const responses = traffics.flatMap((traffic) => traffic.responses);
  const count = (wanted: 'GET' | 'PUT') =>
    responses.filter(({ method, status }) => method === wanted && status === 200).length;
  return {
    /** Each must be in the audit log. */
    updates: count('PUT'),
    reads: count('GET'),
    /** Documented refusals, with 503. */
    refused: responses.filter(({ status }) => status !== 200).length,
    withoutResponse: traffics.reduce((sum, { withoutResponse }) => sum + withoutResponse, 0),
    longestResponseSeconds: responses.reduce((longest, { seconds }) => Math.max(longest, seconds), 0),
  };
}

/** The time at which updates succeed again; undefined if that takes more than half a minute. */
export async function recoveredAfter(traffic: Traffic, moment: number): Promise<number | undefined> {
  while (performance.now() - moment < longestRecoverySeconds * 1000) {
    const at = traffic.firstUpdateAfter(moment);
    if (at !== undefined) return at;
    await sleep(20);
  }
  return undefined;
}
