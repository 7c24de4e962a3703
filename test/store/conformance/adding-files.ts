import { describe, expect, test } from '@jest/globals';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, buildCase } from '../../support/tenants.ts';
import { caseFixture, newFile, taken, uploaded } from './analysis-fixtures.ts';
import { at, later, unknown } from './fixtures.ts';

export function describeAddingFiles(store: () => Store): void {
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

    test('are refused by a locked case, which stays as it is', async () => {
      const { organisationId, caseId, add } = await caseFixture(store());
      await store().lockCase(caseId, uploaded);
      const refused = add(newFile());
      await expect(refused).rejects.toThrow(new ConflictError(`The case ${caseId} is locked.`));
      await expect(refused).rejects.toMatchObject({ place: undefined });
      expect(await store().findCase(organisationId, caseId)).toMatchObject({ files: [], updated_at: uploaded });
      expect(await store().countWaitingAnalyses(taken)).toBe(0);
    });

    test('are refused beforehand as they would be refused when they are added', async () => {
      const { caseId } = await caseFixture(store());
      await expect(store().requireUnlockedCase(caseId)).resolves.toBeUndefined();
      await store().lockCase(caseId, uploaded);
      await expect(store().requireUnlockedCase(caseId)).rejects.toThrow(
        new ConflictError(`The case ${caseId} is locked.`),
      );
      await store().unlockCase(caseId, uploaded);
      await expect(store().requireUnlockedCase(caseId)).resolves.toBeUndefined();
      await expect(store().requireUnlockedCase(unknown)).rejects.toThrow(new NotFoundError('case', unknown));
    });

    test('need a case that exists', async () => {
      await expect(store().addFiles({ caseId: unknown, files: [newFile()], at })).rejects.toThrow(
        new NotFoundError('case', unknown),
      );
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

    test('that nobody has added have no analysis', async () => {
      await expect(store().readAnalysis(unknown)).rejects.toThrow(new NotFoundError('file', unknown));
    });
  });
}
