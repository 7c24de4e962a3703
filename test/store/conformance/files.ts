import { describe, expect, test } from '@jest/globals';
import { describeCase } from '../../../src/domain/case.ts';
import type { NewFile } from '../../../src/store/parts/files.ts';
import { ConflictError, NotAwaitedError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, buildCase } from '../../support/tenants.ts';
import * as fixtures from './analysis-fixtures.ts';
import { at, later, unknown } from './fixtures.ts';

const { caseFixture, expectedFile, newFile, sha256, take, taken, uploaded } = fixtures;

/** Files that get content, at once or later. */
export function describeFiles(store: () => Store): void {
  /** A case with a file that waits for its upload, and what uploads its content. */
  const fixture = async () => {
    const organisation = await caseFixture(store());
    const { organisationId, caseId } = organisation;
    const file = expectedFile(newFile('expected'));
    await store().expectFile({ caseId, file, at: uploaded });
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

  describe('files with content', () => {
    test('are added to a case, wait for their analysis, and update the case', async () => {
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

    test('are told from an imported file, which is never taken, and gets content only if it waits for its upload', async () => {
      const { organisationId } = await caseFixture(store());
      const imported = buildCase(['waiting_for_upload', 'waiting_for_analysis']);
      const caseId = await addCase(store(), organisationId, imported);
      const [waiting, other] = imported.files.map(({ file_id: id }) => ({ ...newFile(), file_id: id }));
      if (!waiting || !other) throw new Error('a case with files was asked for');
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
  });

  const addTo = (caseId: string, ...files: NewFile[]) => store().addFiles({ caseId, files, at: later });
  const expectIn = (caseId: string, fileId: string) =>
    store().expectFile({ caseId, file: { ...expectedFile(newFile()), file_id: fileId }, at: later });
  const uploadBoth = ({ caseId, file }: Fixture) => {
    const files = [file.file_id, unknown].map((id) => ({ ...newFile(), file_id: id }));
    return store().addFiles({ caseId, files, at: later, awaited: true });
  };
  const locked = ({ caseId }: Fixture) => new ConflictError(`The case ${caseId} is locked.`);
  const nowhere = () => new NotFoundError('case', unknown);
  const takenAt = (place: string) => () =>
    expect.objectContaining({ name: 'ConflictError', place }) as unknown as Error;
  const notAwaited = ({ file }: Fixture) => new NotAwaitedError(file.file_id);
  const refusals: [string, (fixture: Fixture) => Promise<unknown>, (fixture: Fixture) => Error][] = [
    ['files of a locked case', ({ add }) => add(newFile()), locked],
    ['that a locked case is open', ({ caseId }) => store().requireUnlockedCase(caseId), locked],
    ['the announcement of a file of a locked case', ({ caseId }) => expectIn(caseId, unknown), locked],
    ['an upload into a locked case', ({ upload }) => upload(), locked],
    ['files of no case', () => addTo(unknown, newFile()), nowhere],
    ['that no case is open', () => store().requireUnlockedCase(unknown), nowhere],
    ['the announcement of a file of no case', () => expectIn(unknown, unknown), nowhere],
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
    if (isLocked) await store().lockCase(made.caseId, uploaded);
    const before = await made.shown();
    const refused = act(made);
    await expect(refused).rejects.toThrow(error(made));
    expect(await made.shown()).toEqual(before);
    expect(await store().countWaitingAnalyses(taken)).toBe(0);
    if (!isLocked) return;
    await expect(refused).rejects.toMatchObject({ place: undefined });
    await store().unlockCase(made.caseId, uploaded);
    await act(made);
  });

  describe('a file that waits for its upload', () => {
    test('is shown by its case, which is updated and waits for it, and is taken by no worker', async () => {
      const { organisationId, caseId, file, shown } = await fixture();
      expect(await shown()).toMatchObject({
        updated_at: uploaded,
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

    test('gets content, time, type and thumbnail, but no other label; then it waits for its analysis', async () => {
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

    test('is not uploaded again, before and after its analysis', async () => {
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

    test('is uploaded once of many at once', async () => {
      const { file, upload } = await fixture();
      const contents = ['a', 'b', 'c', 'd'].map(sha256);
      const outcomes = await Promise.allSettled(contents.map((content) => upload({ content_sha256: content })));
      const done = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [contents[index]] : []));
      expect(done).toHaveLength(1);
      expect((await store().readAnalysis(file.file_id)).content_sha256).toEqual(done[0]);
      expect(await store().countWaitingAnalyses(taken)).toBe(1);
    });
  });
}
