import { EventEmitter } from 'node:events';
import type { Test } from 'dredd';
import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import type { CheckResult } from '../run/model.ts';
import { notProvokable } from '../run/run-checks.ts';
import type { ReplayCase } from '../plan/provoked.ts';
import { ReplayedResponse, type ReplayOptions } from './replayed-response.ts';
import type { DreddSteps } from './run-dredd.ts';
import { findReplayCase } from './transaction.ts';

/** One replay: assigns Dredd's transactions to documented responses, and collects the verdicts. */
export class DocumentReplay implements DreddSteps {
  /** Receives Dredd's verdicts. */
  readonly emitter = new EventEmitter();
  readonly #options: ReplayOptions;
  readonly #responses: readonly ReplayedResponse[];
  readonly #bound = new Map<Transaction, ReplayedResponse>();
  readonly #results = new Map<string, CheckResult>();
  readonly #onResult: (result: CheckResult) => void;
  #current: ReplayedResponse | undefined;
  #stopped = false;

  constructor(documented: readonly ReplayCase[], options: ReplayOptions, onResult: (result: CheckResult) => void) {
    this.#options = options;
    this.#onResult = onResult;
    this.#responses = documented.map((response) => new ReplayedResponse(response, options));
    this.emitter.on('test pass', ({ title }: Test) => {
      this.#settle(title);
    });
    this.emitter.on('test skip', ({ title }: Test) => {
      this.#settle(title, 'Dredd has skipped it');
    });
    this.emitter.on('test fail', ({ title, message }: Test) => {
      this.#settle(title, message.replace(/^Failed in (before|after) hook: /, '').trim());
    });
    this.emitter.on('test error', (error: Error, { title }: Test) => {
      this.#settle(title, error.message);
    });
  }

  beforeAll(transactions: readonly Transaction[]): void {
    const unclaimed = new Map(this.#responses.map((response) => [response.documented, response]));
    for (const transaction of transactions) {
      const documented = findReplayCase(transaction, unclaimed.keys());
      // Dredd compiles a transaction for each media type; only the first is used.
      if (
        !documented &&
        findReplayCase(
          transaction,
          this.#responses.map((each) => each.documented),
        )
      ) {
        transaction.id = '';
        transaction.skip = true;
        continue;
      }
      const response = documented && unclaimed.get(documented);
      if (!documented || !response) {
        transaction.fail = 'the document has no such response';
        continue;
      }
      unclaimed.delete(documented);
      transaction.id = documented.label;
      this.#bound.set(transaction, response);
    }
    // Dredd makes no request for a media range; the explored checks request such a response.
    for (const [{ bodySchema }, response] of unclaimed)
      if (!bodySchema) response.notRun ??= `${notProvokable}Dredd makes no request for its media type`;
  }

  before(transaction: Transaction): void {
    const response = this.#bound.get(transaction);
    this.#current = response;
    if (!response) return;
    if (this.#stopped) response.notRun = 'a check of this layer has failed';
    response.prepare(transaction);
  }

  async send(request: Transaction['request']): Promise<RealResponse> {
    if (!this.#current) throw new Error('the document has no such response');
    return this.#current.send(request);
  }

  after(transaction: Transaction): void {
    const fault = this.#bound.get(transaction)?.findFaults(transaction.real?.body);
    if (fault !== undefined) transaction.fail ??= fault;
  }

  /** @param reason why nothing is replayed */
  leave(reason: string): CheckResult[] {
    for (const response of this.#responses) response.notRun ??= reason;
    return this.conclude(reason);
  }

  /** @param reason why a response has no result, if there is one without */
  conclude(reason: string): CheckResult[] {
    for (const { documented } of this.#responses)
      if (!this.#results.has(documented.label)) this.#settle(documented.label, reason);
    return [...this.#results.values()];
  }

  #settle(label: string, failure?: string): void {
    if (label === '') return;
    const response = this.#responses.find(({ documented }) => documented.label === label);
    const result: CheckResult = response?.result(failure) ?? {
      check: {
        id: `replay.${label}`,
        layer: 'replay',
        source: 'document',
        title: 'Dredd replays documented responses alone',
        rules: [],
      },
      outcome: 'failed',
      failures: [{ message: failure ?? 'the document has no such response' }],
      exchanges: 0,
      durationSeconds: 0,
    };
    if (result.outcome === 'failed' && this.#options.stopAtFirstFailure === true) this.#stopped = true;
    this.#results.set(label, result);
    this.#onResult(result);
  }
}
