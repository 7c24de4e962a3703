import { setTimeout as sleep } from 'node:timers/promises';
import type { TimedRequest } from '../growth/requests.ts';
import { KeptConnection } from '../support/connection.ts';

/** One worker may accept all connections that are opened at the same moment, so they are opened one after the other. */
const betweenConnectionsMilliseconds = 5;

/** The responses that a server sent during the measurement. */
export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
}

/** Connections that send requests continuously, each its next one when it has received a response. */
export class Load {
  readonly #requests: readonly TimedRequest[];
  readonly #working: Promise<void>[] = [];
  #sent = 0;
  #responses = 0;
  #ended = false;

  private constructor(requests: readonly TimedRequest[]) {
    this.#requests = requests;
  }

  /** Opens the connections one after the other; each starts to send at once. */
  static async begin(port: number, requests: readonly TimedRequest[], connections: number): Promise<Load> {
    const load = new Load(requests);
    for (let opened = 0; opened < connections; opened += 1) {
      const working = load.#work(await KeptConnection.open(port));
      working.catch(() => undefined);
      load.#working.push(working);
      await sleep(betweenConnectionsMilliseconds);
    }
    return load;
  }

  /** Counts responses for this long. */
  async measure(seconds: number): Promise<LoadFigures> {
    const [startedAt, before] = [performance.now(), this.#responses];
    await sleep(seconds * 1000);
    return { requests: this.#responses - before, seconds: (performance.now() - startedAt) / 1000 };
  }

  /** Waits for the requests in flight. @throws {Error} if a response had an unexpected status */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#working);
  }

  async #work(connection: KeptConnection): Promise<void> {
    try {
      while (!this.#ended) {
        const request = this.#requests[this.#sent % this.#requests.length];
        if (!request) throw new Error('There is no request to send.');
        this.#sent += 1;
        const { status } = await connection.exchange(request.bytes);
        if (status !== request.status) throw new Error(`A request got ${status}, not ${request.status}.`);
        this.#responses += 1;
      }
    } finally {
      connection.close();
    }
  }
}
