/** Replays every response that the document describes against the real program, in a process of its own. */
import { join } from 'node:path';
import { createHttpClient } from '../../contract/run/http-client.ts';
import { Pacing } from '../../contract/run/limits.ts';
import { notProvokable } from '../../contract/run/run-checks.ts';
import type { CheckResult } from '../../contract/run/model.ts';
import { replayDocument } from '../../contract/replay/replay.ts';
import { startServerTarget } from './server.ts';

const root = join(import.meta.dirname, '../..');
const deadlineSeconds = 600;
const { stdout } = process;

async function replayAll(): Promise<boolean> {
  const target = await startServerTarget(root);
  const client = createHttpClient(10);
  const pacing = new Pacing(() => undefined);
  try {
    const replay = replayDocument({ target, client, pacing, seed: 0, allowExtraFields: false });
    return conclude(await replay.run(show), replay.labels.length);
  } finally {
    client.close();
    await target.close();
  }
}

function show({ check }: CheckResult): void {
  if (stdout.isTTY) stdout.write(`\r\u001b[K${check.id}`);
}

function conclude(results: CheckResult[], expected: number): boolean {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  for (const { check, outcome, reason, failures } of results) {
    if (outcome === 'not run') console.log(`NOT RUN ${check.id}\n     ${reason ?? ''}`);
    for (const { message, curl, response } of failures)
      console.log(
        [`FAIL ${check.id}`, ...message.split('\n'), curl ?? 'not sent', response ?? 'no response'].join('\n     '),
      );
  }
  const left = results.filter(
    (result) => result.outcome === 'not run' && result.reason?.startsWith(notProvokable),
  ).length;
  const failed = Math.max(expected, results.length) - passed - left;
  console.log(`Dredd: ${passed} of ${expected} documented responses replayed`);
  console.log(`${passed} passed, ${failed} failed`);
  return expected > 0 && failed === 0;
}

function end(reason: string): never {
  console.log(`FAIL ${reason}`);
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end(`stopped by ${signal}`));
setTimeout(() => end(`not done within ${deadlineSeconds} s`), deadlineSeconds * 1000).unref();

const passed = await replayAll().catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
process.exitCode = passed ? 0 : 1;
