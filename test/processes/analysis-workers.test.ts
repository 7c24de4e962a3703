import { expect } from '@jest/globals';
import { readingsAtATime } from '../../src/analysis/extraction/reading-bounds.ts';
import { isAnalysisEnd } from '../../src/domain/audit.ts';
import { startHeldRegistry, testOnSites } from '../support/analysis-site.ts';
import { outputOf } from '../support/process.ts';

interface Summary {
  outcomes: { complete: number };
}

testOnSites('two processes that analyse at the same time analyse each file once', async (site) => {
  const registry = await startHeldRegistry();
  await site.serve(['--no-analysis']);
  await site.setVerification(true);
  const paths = await Promise.all(
    Array.from({ length: 10 }, (_, index) => site.write(`${index}.txt`, `Company number 0123456${index}`)),
  );
  const fileIds = await site.addFiles(...paths);
  const workers = [1, 2].map(() => outputOf(site.start(['analyse', '--json'], registry.environment)));
  // More than one of them asks for at a time, so that both are at it.
  await registry.waiting(readingsAtATime() + 1);
  registry.respondWith('ACME LIMITED');
  const summaries = (await Promise.all(workers)).map((printed) => JSON.parse(printed) as Summary);
  const counts = summaries.map(({ outcomes }) => outcomes.complete);
  expect(counts.reduce((sum, count) => sum + count)).toBe(fileIds.length);
  for (const count of counts) expect(count).toBeGreaterThan(0);
  for (const fileId of fileIds)
    expect(await site.store.readAnalysis(fileId)).toMatchObject({ analysis_status: 'analysis_complete', attempts: 1 });
  const entries = await site.store.listAuditEntries({ limit: 100 });
  const ended = entries.flatMap((entry) => (isAnalysisEnd(entry) ? [entry.after.file_id] : []));
  expect(ended.sort()).toEqual([...fileIds].sort());
});
