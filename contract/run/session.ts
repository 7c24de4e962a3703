import { type ConformanceOptions, answerViolations } from '../conformance/response.ts';
import { hasOwnHost } from '../document/document.ts';
import { type HttpClient, NoAnswerError } from './http-client.ts';
import type { Answer, Check, CheckContext, CredentialName, Exchange, RequestSpec, Target } from './model.ts';
import type { Pacing } from './pacing.ts';

const retries = 2;

/** After so many requests without an answer a check is over, so that none waits for a target that hangs again and again. */
const mostUnanswered = 3;

/** What all checks of a run share. */
export interface SessionOptions extends ConformanceOptions {
  readonly target: Target;
  readonly client: HttpClient;
  readonly pacing: Pacing;
  readonly seed: number;
  /** Once it is aborted nothing more is sent; its reason is the error that says why. */
  readonly signal?: AbortSignal;
  /** Leaves the rest of a layer not run once one of its checks has failed. */
  readonly stopAtFirstFailure?: boolean;
}

/** The exchanges of one check, and the context through which it makes them. */
export class Session implements CheckContext {
  readonly exchanges: Exchange[] = [];
  readonly #options: SessionOptions;
  readonly #check: Pick<Check, 'needs'>;
  readonly #underWay = new Set<Promise<Answer>>();

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
    const { pacing, signal } = this.#options;
    const url = this.urlOf(request);
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#exchange(url, request);
      const retryAfter = Number(answer.headers['retry-after']);
      const wantsLimit = this.#check.needs.includes('exhausting-limits');
      if (answer.status !== 429 || wantsLimit || attempt === retries || !(retryAfter >= 1)) return answer;
      await pacing.wait(retryAfter, signal);
    }
  }

  /** Resolves when no request is under way any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Whether the last request has got no answer. */
  get unanswered(): boolean {
    const last = this.exchanges.at(-1);
    return last !== undefined && last.answer === undefined;
  }

  /** Where a request goes: operations whose path has base addresses of its own are at `case_base_url`. */
  urlOf({ method, path }: RequestSpec): string {
    const base = hasOwnHost(method, path) ? this.credentials.case_base_url : this.credentials.base_url;
    return base.replace(/\/$/, '') + path;
  }

  async #exchange(url: string, request: RequestSpec): Promise<Answer> {
    const { client, pacing, signal, allowExtraFields } = this.#options;
    if (this.exchanges.filter((exchange) => exchange.answer === undefined).length >= mostUnanswered)
      throw new NoAnswerError(`${mostUnanswered} requests of this check have got no answer`);
    if (!this.#check.needs.includes('exhausting-limits')) await pacing.beforeRequest(request, signal);
    signal?.throwIfAborted();
    const sending = client.send(url, request);
    this.#underWay.add(sending);
    let answer: Answer;
    try {
      answer = await sending;
    } catch (error) {
      this.exchanges.push({ request, url, violations: [] });
      throw error;
    } finally {
      this.#underWay.delete(sending);
    }
    pacing.afterAnswer(request, answer);
    const violations = answerViolations(request.method, request.path, answer, { allowExtraFields });
    this.exchanges.push({ request, url, answer, violations: violations.map(({ message }) => message) });
    return answer;
  }
}
