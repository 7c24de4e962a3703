import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

/** A registry with the UK register's API that responds to so many questions, and leaves the others without a response. */
export class SlowRegistry {
  /** What makes a program use it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Every number that it was asked about, in the order of the questions. */
  readonly asked: string[] = [];
  /** How many questions waited for a response at most at one time. */
  mostAtOnce = 0;
  readonly #waiting = new Map<ServerResponse, string>();
  readonly #close: () => void;
  #responses = 0;

  static async start(): Promise<SlowRegistry> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const registry = new SlowRegistry((server.address() as AddressInfo).port, () => {
      server.closeAllConnections();
      server.close();
    });
    server.on('request', ({ url }, response: ServerResponse) => {
      registry.#respond(url?.split('/').at(-1) ?? '', response);
    });
    return registry;
  }

  private constructor(port: number, close: () => void) {
    this.#close = close;
    this.environment = {
      COMPANY_REGISTRY: 'http',
      COMPANY_REGISTRY_URL: `http://127.0.0.1:${port}`,
      COMPANY_REGISTRY_KEY: 'a-key',
    };
  }

  /** Responds to so many of the next questions. */
  respondTo(questions: number): void {
    this.#responses = questions;
  }

  /** Resolves when so many questions wait for a response. */
  async waiting(questions = 1): Promise<void> {
    await until(`the registry was asked ${questions} questions`, () => this.#waiting.size >= questions);
  }

  close(): void {
    this.#close();
  }

  #respond(number: string, response: ServerResponse): void {
    this.asked.push(number);
    this.#waiting.set(response, number);
    // A question that is asked again may come before the end of the connection that gave it up.
    this.mostAtOnce = Math.max(this.mostAtOnce, new Set(this.#waiting.values()).size);
    response.once('close', () => this.#waiting.delete(response));
    if (this.#responses === 0) return;
    this.#responses -= 1;
    const company = { company_name: 'ACME LIMITED', company_number: number, company_status: 'active' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(company));
  }
}
