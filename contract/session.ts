import { type ConformanceOptions, contractViolations } from './conformance.js';
import { findOperation, operationsOfPath } from './document.js';
import type { HttpClient } from './http-client.js';
import type { Answer, Check, CheckContext, CredentialName, Exchange, RequestSpec, Target } from './model.js';
import type { Pacing } from './pacing.js';

const longestRetryAfterSeconds = 120;
const retries = 2;

/** What all checks of a run share. */
export interface SessionOptions extends ConformanceOptions {
  readonly target: Target;
  readonly client: HttpClient;
  readonly pacing: Pacing;
  readonly seed: number;
}

/** The exchanges of one check, and the context through which it makes them. */
export class Session implements CheckContext {
  readonly exchanges: Exchange[] = [];
  readonly #options: SessionOptions;
  readonly #check: Pick<Check, 'needs'>;

  constructor(options: SessionOptions, check: Pick<Check, 'needs'>) {
    this.#options = options;
    this.#check = check;
  }

  get credentials() {
    return this.#options.target.credentials;
  }

  get operator() {
    return this.#options.target.operator;
  }

  get seed() {
    return this.#options.seed;
  }

  credential(name: CredentialName): string {
    const value = this.credentials[name];
    if (value === undefined || !this.#check.needs.includes(name))
      throw new Error(`The check uses ${name} without having said that it needs it.`);
    return value;
  }

  async call(request: RequestSpec): Promise<Answer> {
    const url = this.urlOf(request);
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#exchange(url, request);
      const retryAfter = Number(answer.headers['retry-after']);
      const wantsLimit = this.#check.needs.includes('exhausting-limits');
      if (answer.status !== 429 || wantsLimit || attempt === retries || !(retryAfter >= 1)) return answer;
      if (retryAfter > longestRetryAfterSeconds)
        throw new Error(
          `the target asks to wait ${retryAfter} s; the suite waits ${longestRetryAfterSeconds} s at most`,
        );
      await this.#options.pacing.wait(retryAfter);
    }
  }

  /** Where a request goes: operations whose path has base addresses of its own are at `case_base_url`. */
  urlOf({ method, path }: RequestSpec): string {
    const operation = findOperation(method, path) ?? operationsOfPath(path)[0];
    const base = operation?.hasOwnServers === true ? this.credentials.case_base_url : this.credentials.base_url;
    return base.replace(/\/$/, '') + path;
  }

  async #exchange(url: string, request: RequestSpec): Promise<Answer> {
    const { client, pacing, allowExtraFields } = this.#options;
    if (!this.#check.needs.includes('exhausting-limits')) await pacing.beforeRequest(request);
    let answer: Answer;
    try {
      answer = await client.send(url, request);
    } catch (error) {
      this.exchanges.push({ request, url, violations: [] });
      throw error;
    }
    pacing.afterAnswer(request, answer);
    const violations = contractViolations(request.method, request.path, answer, { allowExtraFields });
    this.exchanges.push({ request, url, answer, violations });
    return answer;
  }
}
