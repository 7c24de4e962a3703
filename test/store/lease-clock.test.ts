import { expect, test } from '@jest/globals';
import { describeEngines } from '../support/store-engines.ts';
import { caseFixture, minute, newFile, noTime, take } from './conformance/analysis-fixtures.ts';

const [past, present, future] = ['1999-03-02T12:00:00.000Z', '2026-03-02T12:00:00.000Z', '2035-03-02T12:00:00.000Z'];

describeEngines('the clock of a lease', (open) => {
  test('is that of the database where machines share one, and otherwise that of the machine', async () => {
    const opened = await open();
    const { engine, store } = opened;
    const { add } = await caseFixture(store);
    await add(newFile());
    const { lease } = await take(store, present);
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
    await opened.close();
  });
});
