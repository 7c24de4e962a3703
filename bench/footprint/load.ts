import { setTimeout as sleep } from 'node:timers/promises';
import type { TimedRequest } from '../growth/requests.ts';
import { KeptConnection } from '../support/connection.ts';

/** Connections that come at one moment may all be accepted by one worker; those that come one after the other spread. */
const betweenConnectionsMilliseconds = 5;

/** What a load has got from a server in its time. */
export interface LoadFigures {
  readonly requests: number;
  readonly seconds: number;
}

/** Connections that ask a server over and over, each for its next response when it has the last one. */
export class Load {
  readonly #requests: readonly TimedRequest[];
  readonly #working: Promise<void>[] = [];
  #sent = 0;
  #responses = 0;
  #ended = false;

  private constructor(requests: readonly TimedRequest[]) {
    this.#requests = requests;
  }

  /** Opens the connections one after the other, each of which works from then on. */
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

  /** Counts responses for so long. */
  async measure(seconds: number): Promise<LoadFigures> {
    const [startedAt, before] = [performance.now(), this.#responses];
    await sleep(seconds * 1000);
    return { requests: this.#responses - before, seconds: (performance.now() - startedAt) / 1000 };
  }

  /** Waits for the requests in flight. @throws {Error} if one has had another status than it must have */
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
