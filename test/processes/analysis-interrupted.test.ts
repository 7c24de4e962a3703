/** What becomes of a file while whose analysis something happens: the registry is held until it has happened. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readingsAtATime } from '../../src/analysis/extraction/reading-bounds.ts';
import { type AnalysisSite, openAnalysisSite, type HeldRegistry, startHeldRegistry } from '../support/analysis-site.ts';
import { slowPdf } from '../support/write-pdf.ts';
import { isAlive, startedJobs, stop } from '../support/process.ts';

const text = 'Acme Ltd, registered in England and Wales, company number 01234567\n';

let site: AnalysisSite;
let registry: HeldRegistry;
beforeEach(async () => {
  site = await openAnalysisSite();
  registry = await startHeldRegistry();
});
afterEach(() => site.close());

test('a file whose worker was killed is taken up again by another one', async () => {
  await site.serve(['--no-analysis']);
  await site.setVerification(true);
  const [fileId = ''] = await site.addFiles(await site.write('invoice.txt', text));
  const killed = site.start(['analyse'], registry.environment);
  await registry.waiting();
  killed.child.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  expect(await site.statusOf(fileId)).toBe('analysing');

  registry.respondWith('ANOTHER LIMITED');
  const other = site.start(['analyse', '--watch'], registry.environment);
  await site.until(fileId, 'analysis_complete');
  expect(await site.store.readAnalysis(fileId)).toMatchObject({ attempts: 2, from_cache: false });
  expect(await site.verdictsOf(fileId)).toEqual(['mismatch']);
  await stop(other, 'SIGINT');
  expect(other.stdout()).toContain('Analysed 1 file: 1 complete, 0 from the cache, 0 failed.');
});

test('a server that is stopped ends the processes that read files, and the next one analyses each file once', async () => {
  const server = await site.serve();
  // A file of this size may take eleven seconds of a processor: more than a worker waits when it is stopped.
  const fileIds = await site.addFiles(
    await site.write('slow.pdf', slowPdf(100_000)),
    await site.write('as-slow.pdf', slowPdf(100_000, 'other')),
  );
  const atATime = Math.min(fileIds.length, readingsAtATime());
  const pids = await startedJobs(server.child.pid, atATime);
  await stop(server);
  expect(pids.filter(isAlive)).toEqual([]);
  for (const fileId of fileIds)
    expect(await site.store.readAnalysis(fileId)).toMatchObject({
      analysis_status: 'waiting_for_analysis',
      attempts: 0,
    });

  await site.run(['analyse']);
  for (const fileId of fileIds)
    expect(await site.store.readAnalysis(fileId)).toMatchObject({
      analysis_status: 'analysis_failed',
      failure: { code: 'too-slow' },
      attempts: 1,
    });
  expect(await site.store.listAuditEntries({ limit: 10 })).toHaveLength(fileIds.length);
});
