/**
 * Replays every answer that the document describes against a started server, with Dredd. Dredd alone passes a run that
 * replayed nothing, so the exit code follows from the comparison of its statistics with the document.
 */
// @ts-nocheck

import { join } from 'node:path';
import Dredd, { type Statistics } from 'dredd';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import { readConfig } from '../../src/config.js';
import { readDocumentedAnswers } from './documented-answers.js';
import type { HookContext } from './hooks.js';
import { Report } from './report.js';
import { startServer } from './server.js';

const root = join(import.meta.dirname, '../..');
const documentPath = join(root, 'openapi/openapi.yaml');
const deadlineSeconds = 120;

async function replayAll(): Promise<boolean> {
  const documentedAnswers = await readDocumentedAnswers(documentPath);
  const report = new Report(documentedAnswers.map(({ label }) => label));
  const server = await startServer(root);
  try {
    const { databasePath } = readConfig({ DATA_DIR: server.dataDirectory });
    const demo = await server.makeDemo();
    return report.conclude(await replay({ demo, databasePath, documentedAnswers }, report));
  } finally {
    await server.stop();
  }
}

/** @throws {Error} if Dredd cannot read the document or a hook file */
function replay(context: HookContext, { emitter }: Report): Promise<Statistics> {
  const dredd = new Dredd({
    endpoint: context.demo.base_url,
    path: [documentPath],
    hookfiles: [join(import.meta.dirname, 'hooks.ts')],
    loglevel: 'warning',
    emitter,
    custom: { cwd: root, ...context },
  });
  const faults: string[] = [];
  dredd.logger.transports.console.log = (level, message, _meta, done) => {
    if (level === 'error' || message.startsWith('Skipping hook loading')) faults.push(message);
    done(null, true);
  };
  reporterOutput.default.transports.console.silent = true;

  return new Promise((resolve, reject) => {
    dredd.run((error, statistics) => {
      if (error) faults.unshift(error.message);
      if (faults.length > 0) reject(new Error(faults.join('\n')));
      else resolve(statistics);
    });
  });
}

function end(reason: string): never {
  console.log(`FAIL ${reason}`);
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(`stopped by ${signal}`));
setTimeout(() => end(`not done within ${deadlineSeconds} s`), deadlineSeconds * 1000).unref();

const passed = await replayAll().catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
process.exitCode = passed ? 0 : 1;
