/** Runs Dredd in this process, without output. The caller sends the requests, as the whole suite does. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callbackify } from 'node:util';
import Dredd from 'dredd';
import logger from 'dredd/build/logger.js';
import performRequest from 'dredd/build/performRequest.js';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import type { Hooks, Transaction } from 'hooks';
import { messageOf } from '../cli/run-command.ts';
import type { DocumentReplay } from './replay.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** @throws {Error} if Dredd cannot read the document or the hook file */
export async function runDredd(documentFile: string, endpoint: string, replay: DocumentReplay): Promise<void> {
  const faults: string[] = [];
  logger.default.transports.console.log = (level, message, _meta, done) => {
    if (level === 'error' || message.startsWith('Skipping hook loading')) faults.push(message);
    done(null, true);
  };
  reporterOutput.default.transports.console.silent = true;
  performRequest.default = (_url, _request, _options, callback) => {
    callbackify(() => replay.response())(callback);
  };
  const dredd = new Dredd({
    endpoint,
    path: [resolve(documentFile)],
    hookfiles: [fileURLToPath(new URL('./hooks.cjs', import.meta.url))],
    loglevel: 'warning',
    emitter: replay.emitter,
    custom: { cwd: folder, register },
  });

  await new Promise<void>((done, reject) => {
    dredd.run((error) => {
      if (error) faults.unshift(error.message);
      if (faults.length > 0) reject(new Error(faults.join('\n')));
      else done();
    });
  });

  function register(hooks: Hooks): void {
    hooks.beforeAll((transactions, done) => {
      // What uses a limit up comes last, so that the others need not wait for its next window.
      const usesUp = ({ expected }: Transaction) => Number(expected.statusCode === '429');
      transactions.sort((one, other) => usesUp(one) - usesUp(other));
      replay.beforeAll(transactions);
      done();
    });
    hooks.beforeEach((transaction, done) => {
      // If a hook threw, Dredd would repeat its steps.
      void replay
        .before(transaction)
        .catch((error: unknown) => (transaction.fail = messageOf(error)))
        .then(done);
    });
  }
}
