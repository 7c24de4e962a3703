import { EventEmitter } from 'node:events';
import type { Test } from 'dredd';
import type { RealAnswer } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import type { CheckResult } from '../run/model.ts';
import type { DocumentedAnswer } from './documented-answers.ts';
import type { ReplayOptions } from './replay.ts';
import { ReplayedAnswer } from './replayed-answer.ts';
import type { DreddSteps } from './run-dredd.ts';
import { findAnswer } from './transaction.ts';

/** One replay: binds each of Dredd's transactions to the documented answer that it stands for, and keeps the verdicts. */
export class DocumentReplay implements DreddSteps {
  /** What Dredd is to emit its verdicts on. */
  readonly emitter = new EventEmitter();
  readonly #options: ReplayOptions;
  readonly #answers: readonly ReplayedAnswer[];
  readonly #bound = new Map<Transaction, ReplayedAnswer>();
  readonly #results = new Map<string, CheckResult>();
  readonly #onResult: (result: CheckResult) => void;
  #current: ReplayedAnswer | undefined;
  #stopped = false;

  constructor(
    documented: readonly DocumentedAnswer[],
    options: ReplayOptions,
    onResult: (result: CheckResult) => void,
  ) {
    this.#options = options;
    this.#onResult = onResult;
    this.#answers = documented.map((answer) => new ReplayedAnswer(answer, options));
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
    const unclaimed = new Map(this.#answers.map((answer) => [answer.documented, answer]));
    for (const transaction of transactions) {
      const documented = findAnswer(transaction, unclaimed.keys());
      const answer = documented && unclaimed.get(documented);
      if (!documented || !answer) {
        transaction.fail = 'the document has no such answer';
        continue;
      }
      unclaimed.delete(documented);
      transaction.id = documented.label;
      this.#bound.set(transaction, answer);
    }
  }

  async before(transaction: Transaction): Promise<void> {
    const answer = this.#bound.get(transaction);
    this.#current = answer;
    if (!answer) return;
    if (this.#stopped) answer.notRun = 'a check of this layer has failed';
    await answer.prepare(transaction);
  }

  async send(request: Transaction['request']): Promise<RealAnswer> {
    if (!this.#current) throw new Error('the document has no such answer');
    return this.#current.send(request);
  }

  after(transaction: Transaction): void {
    const fault = this.#bound.get(transaction)?.findFaults(transaction.real?.body);
    if (fault !== undefined) transaction.fail ??= fault;
  }

  /** @param reason why an answer has no result, if one has none */
  conclude(reason: string): CheckResult[] {
    for (const { documented } of this.#answers)
      if (!this.#results.has(documented.label)) this.#settle(documented.label, reason);
    return [...this.#results.values()];
  }

  #settle(label: string, failure?: string): void {
    const answer = this.#answers.find(({ documented }) => documented.label === label);
    const result: CheckResult = answer?.result(failure) ?? {
      check: { id: `replay.${label}`, layer: 'replay', title: 'Dredd replays documented answers alone', rules: [] },
      outcome: 'failed',
      failures: [{ message: failure ?? 'the document has no such answer' }],
      exchanges: 0,
      durationSeconds: 0,
    };
    if (result.outcome === 'failed' && this.#options.stopAtFirstFailure === true) this.#stopped = true;
    this.#results.set(label, result);
    this.#onResult(result);
  }
}
