import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeEngines, type StoreEngine } from '../support/store-engines.ts';
import {
  caseFixture,
  ended,
  minute,
  failure,
  newFile,
  resultOf,
  take,
  taken,
} from './conformance/analysis-fixtures.ts';

/** Has every audit entry refused from now on. */
const refuseEntries = {
  SQLite: "CREATE TRIGGER refuse BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'refused'); END",
  PostgreSQL: `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse()`,
};

describeEngines('an analysis whose audit entry cannot be written', (open) => {
  let opened: StoreEngine;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  test('has not ended, half or wholly', async () => {
    const { engine, store } = opened;
    const { organisationId, caseId, add } = await caseFixture(store);
    const [first, cached] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
    const { lease } = await take(store);
    await store.saveCachedAnalysisResult({
      organisation_id: organisationId,
      content_sha256: newFile('b').content_sha256,
      result: {},
      created_at: taken,
    });
    await opened.beside(refuseEntries[engine]);
    const state = async () => [
      await store.findCase(organisationId, caseId),
      await store.readAnalysis(String(first)),
      await store.readAnalysis(String(cached)),
      await store.countCachedAnalysisResults(organisationId),
      await store.countWaitingAnalyses(taken),
    ];
    const before = await state();
    const completion = { result: resultOf(1), cacheable: true, at: ended };
    await expect(store.completeAnalysis(lease, completion)).rejects.toThrow('refused');
    await expect(store.failAnalysis(lease, { failure, at: ended })).rejects.toThrow('refused');
    await expect(store.takeAnalysis({ at: taken, leaseMilliseconds: minute })).rejects.toThrow('refused');
    expect(await state()).toEqual(before);
  });
});
