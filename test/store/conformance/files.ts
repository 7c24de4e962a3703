import { describe, expect, test } from '@jest/globals';
import { describeCase } from '../../../src/domain/case.ts';
import type { NewFile } from '../../../src/store/analysis-store.ts';
import { ConflictError, NotAwaitedError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, buildCase } from '../../support/tenants.ts';
import * as fixtures from './analysis-fixtures.ts';
import { at, later, unknown } from './fixtures.ts';

const { caseFixture, expectedFile, minute, newFile, sha256, take, taken, uploaded } = fixtures;

/** Files that get content, at once or later. */
export function describeFiles(store: () => Store): void {
  describe('files with content', () => {
    test('are added to a case, wait for their analysis, and update the case', async () => {
      const { organisationId, caseId } = await caseFixture(store());
      const files = [newFile('a', at), newFile('b', later)];
      await store().addFiles({ caseId, files, at: later });
      const found = await store().findCase(organisationId, caseId);
      expect(found).toMatchObject({ updated_at: later });
      expect(found?.files).toEqual(
        files.map(({ content_sha256: _, ...file }) => ({
          ...file,
          analysis_status: 'waiting_for_analysis',
          analysis_completed_at: null,
        })),
      );
      const [file] = files;
      expect(await store().readAnalysis(String(file?.file_id))).toEqual({
        file_id: file?.file_id,
        case_id: caseId,
        organisation_id: organisationId,
        label: file?.label,
        mime_type: 'application/pdf',
        uploaded_at: at,
        analysis_status: 'waiting_for_analysis',
        analysis_completed_at: null,
        content_sha256: file?.content_sha256,
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

    test('are refused by a locked case, which stays as it is, and beforehand too', async () => {
      const { organisationId, caseId, add } = await caseFixture(store());
      await store().lockCase(caseId, uploaded);
      const refused = add(newFile());
      await expect(refused).rejects.toThrow(new ConflictError(`The case ${caseId} is locked.`));
      await expect(refused).rejects.toMatchObject({ place: undefined });
      await expect(store().requireUnlockedCase(caseId)).rejects.toThrow(`The case ${caseId} is locked.`);
      expect(await store().findCase(organisationId, caseId)).toMatchObject({ files: [], updated_at: uploaded });
      expect(await store().countWaitingAnalyses(taken)).toBe(0);
      await store().unlockCase(caseId, uploaded);
      await expect(store().requireUnlockedCase(caseId)).resolves.toBeUndefined();
    });

    test('need a case that exists, and one that nobody has added has no analysis', async () => {
      const none = new NotFoundError('case', unknown);
      await expect(store().addFiles({ caseId: unknown, files: [newFile()], at })).rejects.toThrow(none);
      await expect(store().requireUnlockedCase(unknown)).rejects.toThrow(none);
      await expect(store().readAnalysis(unknown)).rejects.toThrow(new NotFoundError('file', unknown));
    });

    test('are all refused if the identifier of one is taken, and its place is told', async () => {
      const { organisationId, caseId, add } = await caseFixture(store());
      const held = newFile();
      await add(held);
      const before = await store().findCase(organisationId, caseId);
      const refused = store().addFiles({ caseId, files: [newFile('b'), { ...newFile('c'), ...held }], at: later });
      await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place: '[1].file_id' });
      expect(await store().findCase(organisationId, caseId)).toEqual(before);
      expect(await store().countWaitingAnalyses(taken)).toBe(1);
    });

    test('are told from an imported file, which has no content here and is never taken', async () => {
      const { organisationId } = await caseFixture(store());
      const imported = buildCase(['waiting_for_analysis']);
      await addCase(store(), organisationId, imported);
      const fileId = String(imported.files[0]?.file_id);
      expect(await store().readAnalysis(fileId)).toMatchObject({
        case_id: imported.case_id,
        organisation_id: organisationId,
        analysis_status: 'waiting_for_analysis',
        content_sha256: null,
        attempts: null,
        from_cache: null,
        result: null,
        failure: null,
      });
      expect(await store().takeAnalysis({ at: taken, leaseMilliseconds: 60_000 })).toBeUndefined();
    });
  });

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

  describe('a file that waits for its upload', () => {
    test('is shown by its case, which is updated and waits for it, and is taken by no worker', async () => {
      const { organisationId, caseId, file, shown } = await fixture();
      expect(await shown()).toMatchObject({
        updated_at: uploaded,
        file_analysis_status: 'waiting_for_file_analysis',
        files: [{ ...file, analysis_status: 'waiting_for_upload', analysis_completed_at: null }],
        total_files: 1,
      });
      expect(await store().readAnalysis(file.file_id)).toMatchObject({
        case_id: caseId,
        organisation_id: organisationId,
        content_sha256: null,
        attempts: null,
      });
      expect(await store().countWaitingAnalyses(taken)).toBe(0);
      expect(await store().takeAnalysis({ at: taken, leaseMilliseconds: minute })).toBeUndefined();
    });

    test('is refused by a locked case, by one that does not exist, and if its identifier is taken', async () => {
      const { caseId, file, shown } = await fixture();
      const another = { ...file, file_id: unknown };
      await expect(store().expectFile({ caseId, file, at: later })).rejects.toThrow(ConflictError);
      const nowhere = store().expectFile({ caseId: unknown, file: another, at: later });
      await expect(nowhere).rejects.toThrow(new NotFoundError('case', unknown));
      await store().lockCase(caseId, uploaded);
      const before = await shown();
      const refused = store().expectFile({ caseId, file: another, at: later });
      await expect(refused).rejects.toThrow(new ConflictError(`The case ${caseId} is locked.`));
      expect(await shown()).toEqual(before);
    });
  });

  describe('the upload of a file that waits for it', () => {
    test('gives it content, time, type and thumbnail, but no other label; then it waits for its analysis', async () => {
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
      expect(await take(store())).toMatchObject({
        file_id: file.file_id,
        case_id: caseId,
        mime_type: 'image/png',
        content_sha256: sha256('content'),
      });
    });

    test('is refused if it is uploaded already, and changes nothing', async () => {
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

    test('succeeds once of many at once', async () => {
      const { file, upload } = await fixture();
      const contents = ['a', 'b', 'c', 'd'].map(sha256);
      const outcomes = await Promise.allSettled(contents.map((content) => upload({ content_sha256: content })));
      const done = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [contents[index]] : []));
      expect(done).toHaveLength(1);
      expect((await store().readAnalysis(file.file_id)).content_sha256).toEqual(done[0]);
      expect(await store().countWaitingAnalyses(taken)).toBe(1);
    });

    test('is refused for a file of another case or organisation, and for one that nobody expects', async () => {
      const [one, other] = [await fixture(), await fixture()];
      const before = [await one.shown(), await other.shown()];
      await expect(one.upload({}, other.caseId)).rejects.toThrow(new NotAwaitedError(one.file.file_id));
      await expect(one.upload({ file_id: unknown })).rejects.toThrow(new NotAwaitedError(unknown));
      expect([await one.shown(), await other.shown()]).toEqual(before);
      expect(await store().countWaitingAnalyses(taken)).toBe(0);
    });

    test('is refused by a locked case, and possible when it is open again', async () => {
      const { caseId, file, shown, upload, statusOf } = await fixture();
      await store().lockCase(caseId, uploaded);
      const before = await shown();
      await expect(upload()).rejects.toThrow(new ConflictError(`The case ${caseId} is locked.`));
      expect(await shown()).toEqual(before);
      await store().unlockCase(caseId, uploaded);
      await upload();
      expect(await statusOf(file.file_id)).toEqual(['waiting_for_analysis', null]);
    });

    test('is undone if it is one of several, and another cannot be made', async () => {
      const { caseId, file, shown } = await fixture();
      const before = await shown();
      const files = [file.file_id, unknown].map((id) => ({ ...newFile(), file_id: id }));
      await expect(store().addFiles({ caseId, files, at: later, awaited: true })).rejects.toThrow(NotAwaitedError);
      expect(await shown()).toEqual(before);
      expect(await store().countWaitingAnalyses(taken)).toBe(0);
    });

    test('is possible for an imported file that waits for it', async () => {
      const { organisationId } = await caseFixture(store());
      const imported = buildCase(['waiting_for_upload', 'waiting_for_analysis']);
      await addCase(store(), organisationId, imported);
      const [waiting, other] = imported.files.map(({ file_id: id }) => ({ ...newFile(), file_id: id }));
      const upload = (file: NewFile | undefined) =>
        store().addFiles({ caseId: imported.case_id, files: file ? [file] : [], at: later, awaited: true });
      await upload(waiting);
      await expect(upload(other)).rejects.toThrow(NotAwaitedError);
      expect(await take(store())).toMatchObject({ file_id: waiting?.file_id });
    });
  });
}
