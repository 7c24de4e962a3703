import { expect, test } from '@jest/globals';
import { mostAttempts } from '../../../src/domain/analysis.ts';
import type { Lease } from '../../../src/store/parts/leases.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, buildCase } from '../../support/tenants.ts';
import * as fixtures from './fixtures.ts';

const { analyse, caseFixture, failure, minute, newFile, noTime, resultOf, sha256, strangerOf, take, taken } = fixtures;

const later = '2026-03-02T12:01:30.000Z';
const hour = 60 * minute;

export function describeTakingAnalyses(store: () => Store): void {
  const next = () => store().takeAnalysis({ at: taken, leaseMilliseconds: minute });
  const renew = (lease: Lease, leaseMilliseconds: number = minute, at = taken) =>
    store().renewLease(lease, { at, leaseMilliseconds });

  test('a file that waits for its analysis is taken with all that its analysis needs, and is then analysing', async () => {
    const { organisationId, caseId, add, statusOf } = await caseFixture(store());
    const [fileId] = await add(newFile('x'));
    const file = await take(store());
    expect(file).toEqual({
      ...{ analysis_status: 'analysing', file_id: fileId, case_id: caseId, organisation_id: organisationId },
      lease: { fileId, token: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown },
      ...{ mime_type: 'application/pdf', content_sha256: sha256('x'), attempts: 1 },
      ...{ verification_enabled: false, checks_prevented_by: 'setting' },
    });
    expect(await statusOf(file.file_id)).toEqual(['analysing', null]);
    expect(await store().readAnalysis(file.file_id)).toMatchObject({
      started_at: taken,
      attempts: 1,
      verification_enabled: false,
      from_cache: null,
    });
  });

  test('a file that waits for its analysis is taken before those of its organisation that were uploaded later, of whatever case', async () => {
    const one = await caseFixture(store());
    const other = await addCase(store(), one.organisationId, buildCase([]));
    const [third] = await one.add(newFile('a', '2026-03-02T12:00:03.000Z'));
    const [first] = await one.add(newFile('b', '2026-03-02T12:00:01.000Z'));
    const file = newFile('c', '2026-03-02T12:00:02.000Z');
    await store().addFiles({ caseId: other, files: [file], at: taken });
    const second = file.file_id;
    expect(await store().countWaitingAnalyses(taken)).toBe(3);
    const order = [await take(store()), await take(store()), await take(store())];
    expect(order.map(({ file_id: id }) => id)).toEqual([first, second, third]);
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    expect(await next()).toBeUndefined();
  });

  test('a file that waits for its analysis is taken when it is the turn of its organisation, however many files another one has', async () => {
    const fixtures = [await caseFixture(store()), await caseFixture(store()), await caseFixture(store())];
    const [first, many, last] = fixtures.sort((a, b) => (a.organisationId < b.organisationId ? -1 : 1));
    const ids = fixtures.map(({ organisationId }) => organisationId);
    for (let index = 0; index < 5; index += 1) await many?.add(newFile(`many ${index}`));
    await first?.add(newFile('a', '2026-03-02T13:00:00.000Z'), newFile('b', '2026-03-02T13:00:00.000Z'));
    await last?.add(newFile('c', '2026-03-02T13:00:00.000Z'));
    const takeAfter = async (after = '', busy: (string | undefined)[] = []) =>
      ids.indexOf((await take(store(), taken, minute, { after, busy: busy.map(String) })).organisation_id);
    const [firstId, manyId, lastId] = ids;
    expect(await takeAfter(manyId)).toBe(2);
    expect(await takeAfter(lastId)).toBe(0);
    // Nobody else waits but those that have a file in hand.
    expect(await takeAfter(firstId, [manyId])).toBe(0);
    expect(await takeAfter(firstId, [firstId, manyId, lastId])).toBe(1);
    expect(await takeAfter(manyId)).toBe(1);
    expect(await takeAfter()).toBe(1);
  });

  test('a file that waits for its analysis is taken only of the organisation that is asked for', async () => {
    const organisations = [await caseFixture(store()), await caseFixture(store()), await caseFixture(store())];
    // The last one first, whose turn it is not.
    organisations.sort((a, b) => (a.organisationId < b.organisationId ? 1 : -1));
    const added = await Promise.all(organisations.map(({ add }) => add(newFile())));
    for (const [index, { organisationId }] of organisations.entries()) {
      const turn = { after: '', busy: [], only: organisationId };
      const takeOf = () => store().takeAnalysis({ at: taken, leaseMilliseconds: minute, turn });
      expect([(await takeOf())?.file_id, await takeOf()]).toEqual([added[index]?.[0], undefined]);
    }
  });

  test('the lease of a file keeps it from others until it runs out, is prolonged by being renewed, and then is lost to the next', async () => {
    const { begin, statusOf } = await caseFixture(store());
    const first = await begin();
    expect(await next()).toBeUndefined();
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    expect(await renew(first.lease, noTime)).toBe(true);
    expect(await store().countWaitingAnalyses(taken)).toBe(1);
    expect(await renew(first.lease)).toBe(true);
    expect(await next()).toBeUndefined();
    expect(await renew(first.lease, noTime)).toBe(true);
    const second = await take(store(), later);
    expect(second).toMatchObject({ file_id: first.file_id, attempts: 2 });
    expect(second.lease.token).not.toBe(first.lease.token);
    expect(await renew(first.lease, minute, later)).toBe(false);
    expect(await store().readAnalysis(second.file_id)).toMatchObject({ started_at: later, attempts: 2 });
    expect(await statusOf(second.file_id)).toEqual(['analysing', null]);
  });

  test('the lease of a file is not waited for if only a clock that was wrong can have given it', async () => {
    const { begin } = await caseFixture(store());
    const { file_id: fileId } = await begin('a', taken, 2 * hour);
    expect(await store().countWaitingAnalyses(taken)).toBe(1);
    expect(await take(store())).toMatchObject({ file_id: fileId, attempts: 2 });
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
  });

  test('the lease of a file is given back: the file waits again, and the attempt does not count', async () => {
    const { begin, statusOf } = await caseFixture(store());
    const { lease } = await begin();
    expect(await store().releaseLease(lease)).toBe(true);
    expect(await statusOf(lease.fileId)).toEqual(['waiting_for_analysis', null]);
    expect(await take(store())).toMatchObject({ file_id: lease.fileId, attempts: 1 });
    expect(await store().releaseLease(lease)).toBe(false);
  });

  test('the lease of a file that is lost changes nothing', async () => {
    const { begin, organisationId } = await caseFixture(store());
    const { lease } = await begin();
    const before = await store().readAnalysis(lease.fileId);
    const stranger = strangerOf(lease);
    const completion = { result: resultOf(1), cacheable: true, at: taken };
    expect(await renew(stranger, noTime)).toBe(false);
    expect(await store().releaseLease(stranger)).toBe(false);
    expect(await store().completeAnalysis(stranger, completion)).toBeUndefined();
    expect(await store().failAnalysis(stranger, { failure, at: taken })).toBeUndefined();
    expect(await store().readAnalysis(lease.fileId)).toEqual(before);
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    await store().completeAnalysis(lease, completion);
    const ended = await store().readAnalysis(lease.fileId);
    expect(await store().failAnalysis(lease, { failure, at: taken })).toBeUndefined();
    expect(await store().releaseLease(lease)).toBe(false);
    expect(await store().readAnalysis(lease.fileId)).toEqual(ended);
  });

  test('a file whose worker is lost fails after a number of attempts, with an audit entry, and the next file is taken', async () => {
    const { organisationId, caseId, update, add, statusOf } = await caseFixture(store());
    const [lost, next] = await add(newFile('a'), newFile('b', '2026-03-02T12:00:01.000Z'));
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1)
      expect(await take(store(), `2026-03-02T13:0${attempt}:00.000Z`, noTime)).toMatchObject({
        file_id: lost,
        attempts: attempt,
      });
    await update(true);
    const at = '2026-03-02T14:00:00.000Z';
    expect(await store().takeAnalysis({ at, leaseMilliseconds: minute })).toEqual({
      analysis_status: 'analysis_failed',
      file_id: lost,
      case_id: caseId,
      organisation_id: organisationId,
      from_cache: false,
    });
    expect(await statusOf(String(lost))).toEqual(['analysis_failed', at]);
    expect(await store().readAnalysis(String(lost))).toMatchObject({
      attempts: mostAttempts,
      failure: { code: 'worker-lost', message: expect.stringContaining(`${mostAttempts} times`) as unknown },
      result: null,
      from_cache: false,
      verification_enabled: false,
    });
    expect(await store().listAuditEntries({ limit: 1 })).toMatchObject([
      {
        action: 'file.analysis.failed',
        before: { analysis_status: 'analysing' },
        after: { file_id: lost, analysis_status: 'analysis_failed', verification_enabled: false },
      },
    ]);
    expect(await take(store(), at)).toMatchObject({ file_id: next });
  });

  test('a file whose worker is lost is given the result that another file of its content got meanwhile', async () => {
    const { add } = await caseFixture(store());
    const [lost] = await add(newFile('same'));
    for (let attempt = 1; attempt < mostAttempts; attempt += 1)
      await take(store(), `2026-03-02T13:0${attempt}:00.000Z`, noTime);
    const { lease } = await take(store(), '2026-03-02T13:03:00.000Z');
    const at = '2026-03-02T13:03:10.000Z';
    await add(newFile('same', '2026-03-02T12:00:01.000Z'));
    await analyse(store(), 7, at);
    await renew(lease, noTime, at);
    expect(await store().takeAnalysis({ at: '2026-03-02T14:00:00.000Z', leaseMilliseconds: minute })).toMatchObject({
      file_id: lost,
      analysis_status: 'analysis_complete',
      from_cache: true,
    });
  });
}
