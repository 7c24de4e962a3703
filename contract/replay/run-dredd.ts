/**
 * Runs Dredd in this process, without output. Dredd compiles the document to transactions and validates the responses.
 * The caller sends the requests, so that timeouts, pacing and the maximum response size are those of the whole suite.
 */
import type { EventEmitter } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import Dredd from 'dredd';
import logger from 'dredd/build/logger.js';
import performRequest, { type RealResponse } from 'dredd/build/performRequest.js';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import type { Hooks, Transaction } from 'hooks';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Callbacks around Dredd's steps, and instead of them. */
export interface DreddSteps {
  beforeAll(transactions: readonly Transaction[]): void;
  before(transaction: Transaction): void;
  send(request: { method: string; headers: Record<string, string> }): Promise<RealResponse>;
  after(transaction: Transaction): void;
}

/** @throws {Error} if Dredd cannot read the document or the hook file */
export async function runDredd(
  documentFile: string,
  endpoint: string,
  emitter: EventEmitter,
  steps: DreddSteps,
): Promise<void> {
  const faults: string[] = [];
  logger.default.transports.console.log = (level, message, _meta, done) => {
    if (level === 'error' || message.startsWith('Skipping hook loading')) faults.push(message);
    done(null, true);
  };
  reporterOutput.default.transports.console.silent = true;
  performRequest.default = (_url, request, _options, callback) => {
    steps.send(request).then(
      (response) => {
        process.nextTick(callback, null, response);
      },
      (error: unknown) => {
        process.nextTick(callback, error);
      },
    );
  };
  const dredd = new Dredd({
    endpoint,
    path: [resolve(documentFile)],
    hookfiles: [fileURLToPath(new URL('./hooks.cjs', import.meta.url))],
    loglevel: 'warning',
    emitter,
    custom: { cwd: folder, register: registering(steps) },
  });

  await new Promise<void>((done, reject) => {
    dredd.run((error) => {
      if (error) faults.unshift(error.message);
      if (faults.length > 0) reject(new Error(faults.join('\n')));
      else done();
    });
  });
}

function registering(steps: DreddSteps) {
  return (hooks: Hooks): void => {
    hooks.beforeAll((transactions, done) => {
      // What uses a limit up comes last, so that the others need not wait for its next window.
      const usesUp = ({ expected }: Transaction) => Number(expected.statusCode === '429');
      transactions.sort((one, other) => usesUp(one) - usesUp(other));
      steps.beforeAll(transactions);
      done();
    });
    hooks.beforeEach(
      failing((transaction) => {
        steps.before(transaction);
      }),
    );
    hooks.afterEach(
      failing((transaction) => {
        steps.after(transaction);
      }),
    );
  };
}

/** If a hook threw, Dredd would repeat its steps; instead, the error fails the transaction. */
function failing(work: (transaction: Transaction) => void | Promise<void>) {
  return (transaction: Transaction, done: () => void): void => {
    void Promise.resolve(transaction)
      .then(work)
      .catch((error: unknown) => {
        transaction.fail = error instanceof Error ? error.message : String(error);
      })
      .finally(done);
  };
}
