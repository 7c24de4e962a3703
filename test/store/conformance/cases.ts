import { expect, test } from '@jest/globals';
import { describeCase } from '../../../src/domain/case.ts';
import type { NewFile } from '../../../src/store/parts/files.ts';
import { ConflictError, NotAwaitedError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, addOrganisation, buildCase } from '../../support/tenants.ts';
import * as fixtures from './fixtures.ts';

const { at, caseFixture, expectedFile, filesAtOnce, later, newFile, sha256, take, taken, unknown } = fixtures;

/** Cases, and their files, which get content at once or later. */
export function describeCases(store: () => Store): void {
  test('a case of another organisation is as unknown as one that does not exist', async () => {
    const [owner, other] = [await addOrganisation(store()), await addOrganisation(store())];
    const caseId = await addCase(store(), owner, buildCase(['analysing']));
    expect(await store().findCase(other, caseId)).toBeUndefined();
    expect(await store().findCase(owner, unknown)).toBeUndefined();
    expect(await store().findOwnerOfCase(caseId)).toBe(owner);
  });

  test('an import of cases tells after each file how many were added', async () => {
    const organisationId = await addOrganisation(store());
    const told: number[] = [];
    const cases = [buildCase(['analysing', 'analysing']), buildCase([]), buildCase(['analysing'])];
    await store().importCases(organisationId, cases, (added) => told.push(added));
    expect(told).toEqual([1, 2, 3]);
  });

  test('an import of cases of which an identifier is taken, or for no organisation, adds nothing, and its place is told', async () => {
    const organisationId = await addOrganisation(store());
    const taken = buildCase(['analysing']);
    await addCase(store(), organisationId, taken);
    const fresh = buildCase(['analysing']);
    for (const [place, cases] of [
      ['[1].case_id', [fresh, { ...taken, label: 'changed', files: [] }]],
      ['[0].files[1].file_id', [{ ...fresh, files: [...fresh.files, ...fresh.files] }]],
      ['[0].files[700].file_id', [{ ...fresh, files: [...filesAtOnce(700), ...taken.files] }]],
    ] as const) {
      const refused = store().importCases(organisationId, cases);
      await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place });
      expect(await store().findCase(organisationId, fresh.case_id)).toBeUndefined();
      expect(await store().findCase(organisationId, taken.case_id)).toEqual(taken);
    }
    const nobodys = store().importCases(unknown, [buildCase([])]);
    await expect(nobodys).rejects.toThrow(new NotFoundError('organisation', unknown));
  });

  test('cases are locked once, and unlocked any number of times', async () => {
    const organisationId = await addOrganisation(store());
    const caseId = await addCase(store(), organisationId);
    await store().lockCase(caseId, at);
    await expect(store().lockCase(caseId, later)).rejects.toThrow(ConflictError);
    expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: at, updated_at: at });
    await store().unlockCase(caseId, later);
    await store().unlockCase(caseId, '2026-03-02T14:00:00.000Z');
    expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: null, updated_at: later });
  });

  test('cases are listed without files, of one organisation or of all, the newest first, up to a limit', async () => {
    const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
    const old = buildCase(['analysing', 'analysing'], { created_at: '2026-01-01T00:00:00.000Z', locked_at: at });
    await store().importCases(one, [old]);
    const foreign = await addCase(store(), other, buildCase([], { created_at: '2026-01-03T00:00:00.000Z' }));
    const recent = await addCase(store(), one, buildCase([], { created_at: '2026-01-02T00:00:00.000Z' }));
    const listed = await store().listCases({ organisationId: one, limit: 10 });
    expect(listed.map(({ case_id: id }) => id)).toEqual([recent, old.case_id]);
    expect(listed[1]).toEqual({
      case_id: old.case_id,
      organisation_id: one,
      label: old.label,
      locked_at: at,
      created_at: old.created_at,
      total_files: 2,
    });
    const newest = await store().listCases({ limit: 2 });
    expect(newest.map(({ case_id: id }) => id)).toEqual([foreign, recent]);
  });

  /** A case with a file that waits for its upload, and what uploads its content. */
  const fixture = async () => {
    const organisation = await caseFixture(store());
    const { organisationId, caseId } = organisation;
    const file = expectedFile(newFile('expected'));
    await store().expectFile({ caseId, file, at });
    const shown = async () => {
      const found = await store().findCase(organisationId, caseId);
      return found && describeCase(found);
    };
    const upload = (changes: Partial<NewFile> = {}, into = caseId) => {
      const content = { ...newFile('content', later), file_id: file.file_id, mime_type: 'image/png', ...changes };
      return store().addFiles({ caseId: into, files: [content], at: later, awaited: true });
    };
    return { ...organisation, file, shown, upload };
  };
  type Fixture = Awaited<ReturnType<typeof fixture>>;

  test('files with content are added to a case, wait for their analysis, and update the case', async () => {
    const { organisationId, caseId } = await caseFixture(store());
    const files = [newFile('a', at), newFile('b', later)];
    await store().addFiles({ caseId, files, at: later });
    const found = await store().findCase(organisationId, caseId);
    expect(found).toMatchObject({ updated_at: later });
    const waiting = { analysis_status: 'waiting_for_analysis', analysis_completed_at: null };
    expect(found?.files).toEqual(files.map((file) => ({ ...expectedFile(file), ...waiting })));
    const [file] = files as [NewFile, NewFile];
    expect(await store().readAnalysis(file.file_id)).toEqual({
      ...{ ...file, ...waiting, thumbnail_url: undefined, case_id: caseId, organisation_id: organisationId },
      attempts: 0,
      started_at: null,
      verification_enabled: null,
      from_cache: null,
      result: null,
      later_evidence: null,
      recheck_due_at: null,
      failure: null,
    });
  });

  test('files with content are told from an imported file, which is never taken, and gets content only if it waits for its upload', async () => {
    const { organisationId } = await caseFixture(store());
    const imported = buildCase(['waiting_for_upload', 'waiting_for_analysis']);
    const caseId = await addCase(store(), organisationId, imported);
    const files = imported.files.map(({ file_id: id }) => ({ ...newFile(), file_id: id }));
    const [waiting, other] = files as [NewFile, NewFile];
    const none = { content_sha256: null, attempts: null, from_cache: null, result: null, failure: null };
    expect(await store().readAnalysis(other.file_id)).toMatchObject({
      ...{ ...none, case_id: caseId, organisation_id: organisationId, analysis_status: 'waiting_for_analysis' },
    });
    expect(await store().takeAnalysis({ at: taken, leaseMilliseconds: 60_000 })).toBeUndefined();
    const upload = (file: NewFile) => store().addFiles({ caseId, files: [file], at: later, awaited: true });
    await expect(upload(other)).rejects.toThrow(NotAwaitedError);
    await upload(waiting);
    expect(await take(store())).toMatchObject({ file_id: waiting.file_id });
  });

  const addTo = (caseId: string, ...files: NewFile[]) => store().addFiles({ caseId, files, at: later });
  const expectIn = (caseId: string, fileId: string) =>
    store().expectFile({ caseId, file: { ...expectedFile(newFile()), file_id: fileId }, at: later });
  const uploadBoth = ({ caseId, file }: Fixture) => {
    const files = [file.file_id, unknown].map((id) => ({ ...newFile(), file_id: id }));
    return store().addFiles({ caseId, files, at: later, awaited: true });
  };
  const locked = ({ caseId }: Fixture) => new ConflictError(`The case ${caseId} is locked.`);
  const takenAt = (place: string) => () =>
    expect.objectContaining({ name: 'ConflictError', place }) as unknown as Error;
  const notAwaited = ({ file }: Fixture) => new NotAwaitedError(file.file_id);
  const refusals: [string, (fixture: Fixture) => Promise<unknown>, (fixture: Fixture) => Error][] = [
    ['files of a locked case', ({ add }) => add(newFile()), locked],
    ['that a locked case is open', ({ caseId }) => store().requireUnlockedCase(caseId), locked],
    ['the announcement of a file of a locked case', ({ caseId }) => expectIn(caseId, unknown), locked],
    ['an upload into a locked case', ({ upload }) => upload(), locked],
    [
      'files of which one identifier is taken',
      ({ caseId, file }) => addTo(caseId, newFile('b'), { ...newFile('c'), file_id: file.file_id }),
      takenAt('[1].file_id'),
    ],
    [
      'the announcement of an identifier that is taken',
      ({ caseId, file }) => expectIn(caseId, file.file_id),
      takenAt('file_id'),
    ],
    ['an upload for another case', async ({ upload }) => upload({}, (await fixture()).caseId), notAwaited],
    ['an upload of no file', ({ upload }) => upload({ file_id: unknown }), () => new NotAwaitedError(unknown)],
    ['uploads of which one cannot be made', uploadBoth, () => new NotAwaitedError(unknown)],
  ];
  test.each(refusals)('%s: this is refused, and changes nothing', async (_, act, error) => {
    const made = await fixture();
    const isLocked = error === locked;
    if (isLocked) await store().lockCase(made.caseId, at);
    const before = await made.shown();
    const refused = act(made);
    await expect(refused).rejects.toThrow(error(made));
    expect(await made.shown()).toEqual(before);
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    if (!isLocked) return;
    await expect(refused).rejects.toMatchObject({ place: undefined });
    await store().unlockCase(made.caseId, at);
    await act(made);
  });

  test('a file that waits for its upload is shown by its case, which is updated and waits for it, and is taken by no worker', async () => {
    const { organisationId, caseId, file, shown } = await fixture();
    expect(await shown()).toMatchObject({
      updated_at: at,
      file_analysis_status: 'waiting_for_file_analysis',
      files: [{ ...file, analysis_status: 'waiting_for_upload', analysis_completed_at: null }],
      total_files: 1,
    });
    const none = { content_sha256: null, attempts: null };
    const expected = { ...none, case_id: caseId, organisation_id: organisationId };
    expect(await store().readAnalysis(file.file_id)).toMatchObject(expected);
    await expect(store().readAnalysis(unknown)).rejects.toThrow(new NotFoundError('file', unknown));
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    expect(await store().takeAnalysis({ at: taken, leaseMilliseconds: 60_000 })).toBeUndefined();
  });

  test('a file that waits for its upload gets content, time, type and thumbnail, but no other label; then it waits for its analysis', async () => {
    const { caseId, file, shown, upload, add } = await fixture();
    await add(newFile('between', '2026-03-02T12:30:00.000Z'));
    await upload({ label: 'another', thumbnail_url: 'https://files.example/drawn.webp' });
    const { files, ...rest } = (await shown()) ?? {};
    expect(rest).toMatchObject({ updated_at: later, total_files: 2 });
    // In the order of their uploads.
    expect(files?.[0]).toMatchObject({ label: 'between.pdf' });
    expect(files?.[1]).toEqual({
      ...file,
      uploaded_at: later,
      mime_type: 'image/png',
      thumbnail_url: 'https://files.example/drawn.webp',
      analysis_status: 'waiting_for_analysis',
      analysis_completed_at: null,
    });
    await take(store());
    const content = { mime_type: 'image/png', content_sha256: sha256('content') };
    expect(await take(store())).toMatchObject({ file_id: file.file_id, case_id: caseId, ...content });
  });

  test('a file that waits for its upload is not uploaded again, before and after its analysis', async () => {
    const { file, shown, upload } = await fixture();
    await upload();
    const before = await shown();
    await expect(upload({ content_sha256: sha256('other') })).rejects.toThrow(new NotAwaitedError(file.file_id));
    expect(await shown()).toEqual(before);
    await fixtures.analyse(store());
    const analysed = await store().readAnalysis(file.file_id);
    await expect(upload()).rejects.toThrow(NotAwaitedError);
    expect(await store().readAnalysis(file.file_id)).toEqual(analysed);
    expect(analysed).toMatchObject({ analysis_status: 'analysis_complete', content_sha256: sha256('content') });
  });

  test('a file that waits for its upload is uploaded once of many at once', async () => {
    const { file, upload } = await fixture();
    const contents = ['a', 'b', 'c', 'd'].map(sha256);
    const outcomes = await Promise.allSettled(contents.map((content) => upload({ content_sha256: content })));
    const done = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [contents[index]] : []));
    expect(done).toHaveLength(1);
    expect((await store().readAnalysis(file.file_id)).content_sha256).toEqual(done[0]);
    expect(await store().countWaitingAnalyses(taken)).toBe(1);
  });
}
