import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readingsAtATime } from '../../src/analysis/extraction/reading-bounds.ts';
import { isAnalysisEnd } from '../../src/domain/audit.ts';
import { AnalysisSite, type HeldRegistry, startHeldRegistry } from '../support/analysis-site.ts';
import { hostilePdfs } from '../support/hostile-pdfs.ts';
import { describePostgres } from '../support/describe-postgres.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { pdfOf } from '../support/write-pdf.ts';

interface Summary {
  outcomes: { complete: number; from_cache: number; failed: number };
}

function testWorkers(databaseUrl: () => Promise<string | undefined>): void {
  let site: AnalysisSite;
  let registry: HeldRegistry;
  beforeAll(async () => {
    site = await AnalysisSite.open(await databaseUrl());
    registry = await startHeldRegistry();
  });
  afterAll(async () => {
    await site.close();
    registry.close();
  });

  test('two processes that analyse at the same time analyse each file once', async () => {
    await site.serve(['--no-analysis']);
    await site.setVerification(true);
    const paths = await Promise.all(
      Array.from({ length: 6 }, (_, index) => site.write(`${index}.txt`, `Company number 0123456${index}`)),
    );
    const fileIds = await site.addFiles(...paths);
    const workers = [1, 2].map(() => site.run(['analyse', '--json'], registry.environment));
    // More than one of them asks for at a time, so that both are at it.
    await registry.asked(readingsAtATime() + 1);
    registry.respondWith('ACME LIMITED');
    const counts = (await Promise.all(workers)).map((text) => (JSON.parse(text) as Summary).outcomes.complete);
    expect(counts.reduce((sum, count) => sum + count)).toBe(6);
    for (const count of counts) expect(count).toBeGreaterThan(0);
    for (const fileId of fileIds)
      expect(await site.store.readAnalysis(fileId)).toMatchObject({
        analysis_status: 'analysis_complete',
        attempts: 1,
      });
    const entries = await site.store.listAuditEntries({ limit: 100 });
    const ended = entries.flatMap((entry) => (isAnalysisEnd(entry) ? [entry.after.file_id] : []));
    expect(ended.sort()).toEqual([...fileIds].sort());
  });
}

test('hostile files fail with a reason, and the files after them are analysed', async () => {
  const site = await AnalysisSite.open();
  try {
    const [before = '', bomb = '', encrypted = '', after = ''] = await site.addFiles(
      await site.write('before.pdf', pdfOf(['before'])),
      await site.write('bomb.pdf', hostilePdfs['512 MB in 512 kB']()),
      await site.write('encrypted.pdf', hostilePdfs['a password that a user must enter']()),
      await site.write('after.pdf', pdfOf(['after'])),
    );
    const summary = JSON.parse(await site.run(['analyse', '--json'])) as Summary;
    expect(summary.outcomes).toMatchObject({ complete: 2, failed: 2 });
    for (const fileId of [before, after])
      expect(await site.store.readAnalysis(fileId)).toMatchObject({ analysis_status: 'analysis_complete' });
    const { analysis_status: status, failure, result } = await site.store.readAnalysis(bomb);
    expect([status, result]).toEqual(['analysis_failed', null]);
    expect(['too-much-content', 'too-slow']).toContain(failure?.code);
    expect((await site.store.readAnalysis(encrypted)).failure?.code).toBe('encrypted-file');
    expect(await site.run(['analysis', 'show', bomb])).toContain(failure?.message);
  } finally {
    await site.close();
  }
});

describe('with the embedded store', () => {
  testWorkers(() => Promise.resolve(undefined));
});

describePostgres('with PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  testWorkers(() => database.freshUrl());
});
