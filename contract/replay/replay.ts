/** The replay by Dredd: the checks of the suite's own replay provoke the responses, and Dredd judges them. */
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'dredd';
import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import { messageOf } from '../cli/run-command.ts';
import { mediaTypeOf } from '../oracle/body.ts';
import { exampleFault, type ReplayCase, replayCases, replayChecks, type ReplayJudge } from '../plan/provoked.ts';
import type { Check, CheckResult, HttpResponse } from '../run/model.ts';
import { withContainedIdentifiers } from '../run/reach-target.ts';
import { notProvokable, runChecks } from '../run/run-checks.ts';
import type { Session, SessionOptions } from '../run/session.ts';
import { beyondConformance, expectDocumented } from './expectations.ts';

const ownDocumentFile = fileURLToPath(new URL('../generated/openapi.json', import.meta.url));

/**
 * Has Dredd replay every documented response against a target.
 * @returns a result for each documented response, and one for any other transactions that Dredd invented
 */
export async function replayDocument(
  options: SessionOptions,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const replay = new DocumentReplay(await withContainedIdentifiers(options), onResult);
  const { documentFile = ownDocumentFile, target } = options;
  const dredd = await import('./run-dredd.ts').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  if (!dredd) return replay.conclude({ cannotRun: 'Dredd is not installed: npm install dredd@14.1.0' });
  const reason = await dredd.runDredd(documentFile, target.credentials.base_url, replay).then(
    () => 'Dredd has not replayed it',
    (error: unknown) => `Dredd failed: ${messageOf(error)}`,
  );
  return replay.conclude({ run: () => Promise.reject(new Error(reason)) });
}

/** The check of a transaction, while Dredd replays it. */
interface Turn {
  readonly transaction: Transaction;
  readonly response: PromiseWithResolvers<HttpResponse>;
  /** What Dredd has found, if anything. */
  readonly verdict: PromiseWithResolvers<string | undefined>;
  ended: Promise<void> | undefined;
}

/** One replay: runs the check of each of Dredd's transactions, and collects the results. */
export class DocumentReplay {
  /** Receives Dredd's verdicts. */
  readonly emitter = new EventEmitter();
  readonly #options: SessionOptions;
  readonly #documented: readonly ReplayCase[];
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #bound = new Map<Transaction, ReplayCase>();
  readonly #results = new Map<string, CheckResult>();
  readonly #onResult: (result: CheckResult) => void;
  #turn: Turn | undefined;
  #stopped = false;

  constructor(options: SessionOptions, onResult: (result: CheckResult) => void) {
    const { document } = options;
    this.#options = options;
    this.#onResult = onResult;
    this.#documented = replayCases(document);
    this.#checks = new Map(replayChecks(document, this.#judge).map((check) => [check.id, check]));
    this.emitter.on('test pass', () => this.#turn?.verdict.resolve(undefined));
    this.emitter.on('test skip', () => this.#turn?.verdict.resolve('Dredd has skipped it'));
    this.emitter.on('test fail', ({ title, message }: Test) => {
      this.#found(title, message.replace(/^Failed in (before|after) hook: /, '').trim());
    });
    this.emitter.on('test error', (error: Error, { title }: Test) => {
      this.#found(title, error.message);
    });
  }

  beforeAll(transactions: readonly Transaction[]): void {
    const unclaimed = new Set(this.#documented);
    for (const transaction of transactions) {
      const meant = this.#documented.filter((documented) => isReplayOf(transaction, documented));
      const documented = meant.find((each) => unclaimed.has(each));
      if (documented) {
        unclaimed.delete(documented);
        transaction.id = idOf(documented);
        this.#bound.set(transaction, documented);
      } else if (meant.length === 0) transaction.fail = 'the document has no such response';
      // Dredd compiles a transaction for each media type; only the first is used.
      else Object.assign(transaction, { id: '', skip: true });
    }
  }

  /** Begins the check of a transaction, which provokes its response. Skips what is not run, or gets no response. */
  async before(transaction: Transaction): Promise<void> {
    await this.#turn?.ended;
    this.#turn = undefined;
    const documented = this.#bound.get(transaction);
    const check = documented && this.#checks.get(idOf(documented));
    if (!check) return;
    const stopped = { cannotRun: 'a check of this layer has failed', ...check };
    const [response, verdict] = [Promise.withResolvers<HttpResponse>(), Promise.withResolvers<string | undefined>()];
    const turn: Turn = { transaction, response, verdict, ended: undefined };
    this.#turn = turn;
    turn.ended = this.#run(this.#stopped ? stopped : check);
    const isJudged = await Promise.race([response.promise.then(() => true), turn.ended.then(() => false)]);
    if (isJudged) expectDocumented(transaction, documented, this.#options);
    else transaction.skip = true;
  }

  /** The response of the present transaction, as Dredd gets it. */
  async response(): Promise<RealResponse> {
    if (!this.#turn) throw new Error('the document has no such response');
    const { status, headers, text } = await this.#turn.response.promise;
    const mediaType = headers['content-type'];
    return {
      statusCode: status,
      headers: { ...headers, ...(mediaType !== undefined && { 'content-type': mediaTypeOf(mediaType) }) },
      ...(text !== '' && { body: text, bodyEncoding: 'utf-8' }),
    };
  }

  /** @param rest how the check of each response ends that Dredd has not replayed */
  async conclude(rest: Pick<Check, 'cannotRun'> | Pick<Check, 'run'>): Promise<CheckResult[]> {
    this.#turn?.verdict.resolve('Dredd has not judged it');
    await this.#turn?.ended;
    for (const documented of this.#documented) {
      const check = this.#checks.get(idOf(documented));
      if (!check || this.#results.has(check.id)) continue;
      // The explored checks request such a response.
      const isRange = !documented.json && ![...this.#bound.values()].includes(documented);
      const none = isRange && { cannotRun: `${notProvokable}Dredd makes no request for its media type` };
      await this.#run({ ...check, ...rest, ...none, ...(check.cannotRun && { cannotRun: check.cannotRun }) });
    }
    return [...this.#results.values()];
  }

  readonly #judge: ReplayJudge = {
    // Dredd's examples of optional parameters are left out; what describes the body may be absent on purpose.
    send: (request, { operation }, context) => {
      const own = request.headers ?? [];
      const parameters = operation.parameters.filter((each) => each.in === 'header').map(({ name }) => name);
      const chosen = ['Content-Type', ...parameters, ...own.map(([name]) => name)].map((name) => name.toLowerCase());
      const added = Object.entries(this.#turn?.transaction.request.headers ?? {});
      const headers = [...own, ...added.filter(([name]) => !chosen.includes(name.toLowerCase()))];
      return context.call({ ...request, headers });
    },
    judge: async (response, documented, { example }, context) => {
      this.#turn?.response.resolve(response);
      const verdict = await this.#turn?.verdict.promise;
      const { violations = [] } = (context as Session).exchanges.at(-1) ?? {};
      const found = verdict === undefined ? undefined : beyondConformance(verdict, violations);
      const hasExample = found !== undefined || violations.length > 0 || response.text === '';
      const fault = hasExample ? found : exampleFault(documented, example, response.text, context);
      if (fault !== undefined) throw new Error(fault);
    },
  };

  async #run(check: Check): Promise<void> {
    const [result] = await runChecks([check], this.#options);
    if (result) this.#settle(result);
  }

  #found(id: string, message: string): void {
    if (this.#checks.has(id)) this.#turn?.verdict.resolve(message);
    else {
      const check = { id: `replay.${id}`, layer: 'replay', source: 'document', rules: [] } as const;
      const took = { exchanges: 0, durationSeconds: 0 };
      const title = 'Dredd replays documented responses alone';
      this.#settle({ check: { ...check, title }, outcome: 'failed', failures: [{ message }], ...took });
    }
  }

  #settle(result: CheckResult): void {
    if (result.outcome === 'failed' && this.#options.stopAtFirstFailure === true) this.#stopped = true;
    this.#results.set(result.check.id, result);
    this.#onResult(result);
  }
}

const idOf = ({ label }: ReplayCase) => `replay.${label}`;

/** Whether Dredd has made a transaction of a documented response. */
function isReplayOf({ request, origin, expected }: Transaction, { operation, status }: ReplayCase): boolean {
  const { method, path, responses } = operation;
  const [, value] = Object.entries(expected.headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const mediaType = value?.replace(/;.*/, '').trim();
  const isDocumented = mediaType === undefined || Object.keys(responses[status]?.content ?? {}).includes(mediaType);
  const isCalled = method.toUpperCase() === request.method && path === origin.resourceName;
  return isCalled && status === expected.statusCode && isDocumented;
}
