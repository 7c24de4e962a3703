/** A document with many numbers, a registry that is slow, and a worker that is killed while it asks again. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import { AnalysisSite } from '../support/analysis-site.ts';
import { describePostgres } from '../support/describe-postgres.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { SlowRegistry } from '../support/slow-registry.ts';
import { until } from '../support/until.ts';

const numbers = Array.from({ length: 30 }, (_, index) => String(index + 1).padStart(8, '0'));
const text = `Acme Ltd\n${numbers.map((number) => `company number ${number}\n`).join('')}`;

function testSlowRegistry(databaseUrl: () => Promise<string | undefined>): void {
  let site: AnalysisSite;
  let registry: SlowRegistry;
  beforeEach(async () => {
    site = await AnalysisSite.open(await databaseUrl());
    registry = await SlowRegistry.start();
  });
  afterEach(async () => {
    await site.close();
    registry.close();
  });

  const verdictsOf = async (fileId: string) => {
    const { result } = await site.store.readAnalysis(fileId);
    const { evidence } = JSON.parse(result ?? '{}') as Partial<AnalysisResult>;
    return evidence?.map(({ verdict }) => verdict) ?? [];
  };

  test('neither the registry nor a killed worker keeps a document from its evidence for long', async () => {
    await site.serve(['--no-analysis']);
    await site.setVerification(true);
    const path = await site.write('many.txt', text);
    const [fileId = ''] = await site.addFiles(path);

    registry.respondTo(5);
    await site.run(['analyse'], registry.environment);
    // It is not waited for with each number: that would take minutes.
    expect(new Set(registry.asked).size).toBeLessThan(numbers.length / 2);
    const open = numbers.length - 5;
    expect((await verdictsOf(fileId)).sort()).toEqual([
      ...Array<string>(5).fill('match'),
      ...Array<string>(open).fill('registry_unavailable'),
    ]);
    expect(registry.mostAtOnce).toBe(4);
    const before = await site.store.readAnalysis(fileId);
    expect(before).toMatchObject({ analysis_status: 'analysis_complete', later_evidence: null });
    expect(Date.parse(before.recheck_due_at ?? '')).toBeGreaterThan(Date.now());

    await site.makeRechecksDue();
    registry.asked.splice(0);
    const killed = site.start(['analyse', '--watch'], registry.environment);
    await registry.waiting();
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(await site.store.readAnalysis(fileId)).toMatchObject({ later_evidence: null });

    registry.respondTo(Infinity);
    const other = site.start(['analyse', '--watch'], registry.environment);
    const isFound = async () => {
      const { later_evidence: later, recheck_due_at: dueAt } = await site.store.readAnalysis(fileId);
      if (dueAt === null) return true;
      // Ten seconds hold 19 requests, so this may take more than one pass, and nobody has a lease between two.
      if (later !== null && Date.parse(dueAt) > Date.now() + 30_000) await site.makeRechecksDue();
      return false;
    };
    await until(() => `every question has a response\n${other.stderr()}`, isFound, 200);
    other.child.kill('SIGINT');
    expect(await other.ended).toBe(0);
    const { later_evidence: later, ...after } = await site.store.readAnalysis(fileId);
    expect(after).toEqual({ ...before, later_evidence: undefined, recheck_due_at: null });
    expect(later?.map(({ verdict }) => verdict)).toEqual(Array(open).fill('match'));
    expect(other.stdout()).toMatch(/Asked registries again: 1 complete/);
    const entries = await site.store.listAuditEntries({ limit: 10 });
    const added = entries.filter(({ action }) => action === 'file.evidence.added');
    expect(added[0]).toMatchObject({ after: { file_id: fileId, unavailable: 0 } });
    expect(added.at(-1)).toMatchObject({ before: { unavailable: open } });

    const asked = registry.asked.length;
    const [again = ''] = await site.addFiles(path);
    await site.run(['analyse'], registry.environment);
    expect(await site.store.readAnalysis(again)).toMatchObject({ from_cache: true });
    expect([await verdictsOf(again), registry.asked.length]).toEqual([Array(numbers.length).fill('match'), asked]);
  });
}

describe('on SQLite', () => {
  testSlowRegistry(() => Promise.resolve(undefined));
});

describePostgres('on PostgreSQL', () => {
  let database: TestDatabase | undefined;
  afterEach(() => database?.drop());
  testSlowRegistry(async () => {
    database = await createTestDatabase();
    return database.freshUrl();
  });
});
