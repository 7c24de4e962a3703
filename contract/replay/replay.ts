/** The replay of every documented response by Dredd. */
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'dredd';
import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import { messageOf } from '../cli/run-command.ts';
import { ownDocument } from '../document/own-document.ts';
import { type ReplayCase, replayCases } from '../plan/provoked.ts';
import type { CheckResult } from '../run/model.ts';
import { withContainedIdentifiers } from '../run/reach-target.ts';
import { notProvokable } from '../run/run-checks.ts';
import type { SessionOptions } from '../run/session.ts';
import { ReplayedResponse } from './replayed-response.ts';

const ownDocumentFile = fileURLToPath(new URL('../generated/openapi.json', import.meta.url));

/** Prepares the replay of every documented response against a target. */
export function replayDocument(options: SessionOptions) {
  const cases = replayCases(options.document ?? ownDocument);
  return {
    /** One for each documented response, such as `getCase.404`. */
    labels: cases.map(({ label }) => label),
    /** Resolves to a result for each documented response, and one for any other transactions that Dredd invented. */
    run: async (onResult: (result: CheckResult) => void): Promise<CheckResult[]> => {
      const replay = new DocumentReplay(cases, await withContainedIdentifiers(options), onResult);
      const { documentFile = ownDocumentFile, target } = options;
      const dredd = await import('./run-dredd.ts').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      });
      if (!dredd) return replay.leave('Dredd is not installed: npm install dredd@14.1.0');
      const reason = await dredd.runDredd(documentFile, target.credentials.base_url, replay).then(
        () => 'Dredd has not replayed it',
        (error: unknown) => `Dredd failed: ${messageOf(error)}`,
      );
      return replay.conclude(reason);
    },
  };
}

/** One replay: assigns Dredd's transactions to documented responses, and collects the verdicts. */
export class DocumentReplay {
  /** Receives Dredd's verdicts. */
  readonly emitter = new EventEmitter();
  readonly #options: SessionOptions;
  readonly #responses: readonly ReplayedResponse[];
  readonly #bound = new Map<Transaction, ReplayedResponse>();
  readonly #results = new Map<string, CheckResult>();
  readonly #onResult: (result: CheckResult) => void;
  #current: ReplayedResponse | undefined;
  #stopped = false;

  constructor(documented: readonly ReplayCase[], options: SessionOptions, onResult: (result: CheckResult) => void) {
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
    const unclaimed = new Set(this.#responses);
    for (const transaction of transactions) {
      const meant = this.#responses.filter(({ documented }) => isReplayOf(transaction, documented));
      const response = meant.find((each) => unclaimed.has(each));
      if (response) {
        unclaimed.delete(response);
        transaction.id = response.documented.label;
        this.#bound.set(transaction, response);
      } else if (meant.length === 0) transaction.fail = 'the document has no such response';
      // Dredd compiles a transaction for each media type; only the first is used.
      else Object.assign(transaction, { id: '', skip: true });
    }
    // Dredd makes no request for a media range; the explored checks request such a response.
    for (const response of unclaimed)
      if (!response.documented.bodySchema)
        response.notRun ??= `${notProvokable}Dredd makes no request for its media type`;
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

/** Whether Dredd has made a transaction of a documented response. */
function isReplayOf({ request, origin, expected }: Transaction, { operation, status }: ReplayCase): boolean {
  const { method, path, responses } = operation;
  const [, value] = Object.entries(expected.headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const mediaType = value?.replace(/;.*/, '').trim();
  const isDocumented = mediaType === undefined || Object.keys(responses[status]?.content ?? {}).includes(mediaType);
  const isCalled = method.toUpperCase() === request.method && path === origin.resourceName;
  return isCalled && status === expected.statusCode && isDocumented;
}
