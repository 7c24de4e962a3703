import { expect, test } from '@jest/globals';
import { describeEngines } from '../support/store-engines.ts';
import * as fixtures from './conformance/fixtures.ts';
import { recheckFixture, takeDue } from './conformance/rechecks.ts';

const { caseFixture, ended, failure, minute, newFile, noTime, resultOf, take, taken } = fixtures;

/** Has every audit entry refused from now on. */
const refuseEntries = {
  SQLite: "CREATE TRIGGER refuse BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'refused'); END",
  PostgreSQL: `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse()`,
};

const [past, present, future] = ['1999-03-02T12:00:00.000Z', '2026-03-02T12:00:00.000Z', '2035-03-02T12:00:00.000Z'];

describeEngines('analyses', (opened) => {
  test('one whose audit entry cannot be written has not ended, half or wholly', async () => {
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

  test('the clock of a lease is that of the database where machines share one, and otherwise that of the machine', async () => {
    const { engine, store } = opened;
    const { begin } = await caseFixture(store);
    const { lease } = await begin('a', present);
    const takeAt = (at: string) => store.takeAnalysis({ at, leaseMilliseconds: minute });
    if (engine === 'SQLite') {
      expect(await takeAt('2026-03-02T12:00:59.999Z')).toBeUndefined();
      expect(await store.countWaitingAnalyses('2026-03-02T12:01:00.000Z')).toBe(1);
      expect(await takeAt('2026-03-02T12:01:00.000Z')).toMatchObject({ attempts: 2 });
    } else {
      for (const at of [past, present, future]) {
        expect([await takeAt(at), await store.countWaitingAnalyses(at)]).toEqual([undefined, 0]);
        expect(await store.renewLease(lease, { at, leaseMilliseconds: minute })).toBe(true);
      }
      expect(await store.renewLease(lease, { at: future, leaseMilliseconds: noTime })).toBe(true);
      expect(await takeAt(past)).toMatchObject({ attempts: 2, lease: { fileId: lease.fileId } });
      // What people read of an analysis is still the time that the caller gave.
      expect(await store.readAnalysis(lease.fileId)).toMatchObject({ started_at: past });
    }
  });

  async function start(recheckAfterMilliseconds: number) {
    const { analyse } = await recheckFixture(opened.store);
    const fileId = await analyse(newFile(), recheckAfterMilliseconds);
    const takeAt = async (at: string) => {
      const file = await opened.store.takeRecheck({ at, leaseMilliseconds: minute, after: '' });
      return file?.status === 'taken' ? file : undefined;
    };
    const dueAt = async () => String((await opened.store.readAnalysis(fileId)).recheck_due_at);
    return { takeAt, dueAt };
  }
  test('the clock by which registries are asked again is that of the machine on SQLite; on PostgreSQL no wrong clock takes a file early or steals a lease', async () => {
    const { engine, store } = opened;
    const { takeAt, dueAt } = await start(minute);
    if (engine === 'SQLite') {
      const [early, due] = ['2026-03-02T12:02:29.999Z', '2026-03-02T12:02:30.000Z'];
      expect([ended, await dueAt()]).toEqual(['2026-03-02T12:01:30.000Z', due]);
      expect([await takeAt(early), (await takeAt(due))?.attempts]).toEqual([undefined, 1]);
      expect(await dueAt()).toBe('2026-03-02T12:03:30.000Z');
    } else {
      const hourAhead = new Date(Date.now() + 60 * minute).toISOString();
      const clocks = [past, present, hourAhead, future];
      expect(Math.abs(Date.parse(await dueAt()) - Date.now() - minute)).toBeLessThan(minute / 2);
      for (const at of clocks) expect(await takeAt(at)).toBeUndefined();
      await opened.beside(`UPDATE evidence_recheck SET due_at = '${present}'`);
      const { lease } = await takeDue(store, { at: past });
      for (const at of clocks) {
        expect(await takeAt(at)).toBeUndefined();
        expect(await store.renewRecheck(lease, { at, leaseMilliseconds: minute })).toBe(true);
      }
    }
  });

  test('the clock by which registries are asked again keeps no file from other machines for longer, however wrong that of its last worker is', async () => {
    const { engine, store } = opened;
    const { takeAt } = await start(noTime);
    const [behind, ahead] = engine === 'SQLite' ? [ended, ended] : [past, future];
    const take = async (expected: number) => {
      const { attempts, lease } = await takeDue(store, { at: behind });
      expect(attempts).toBe(expected);
      return lease;
    };
    const first = await take(1);
    expect(await store.renewRecheck(first, { at: ahead, leaseMilliseconds: noTime })).toBe(true);
    await store.releaseRecheck(await take(2), ahead);
    const saving = { laterEvidence: [], at: ahead };
    await store.saveRecheck(await take(2), { ...saving, dueAfterMilliseconds: noTime });
    await store.saveRecheck(await take(3), { ...saving, at: behind, dueAfterMilliseconds: minute });
    expect(await takeAt(ahead)).toBeUndefined();
  });
});
