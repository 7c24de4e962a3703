import { describe, expect, test } from '@jest/globals';
import { ConflictError, NotFoundError } from '../../../src/store/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, addOrganisation, buildCase } from '../../support/tenants.ts';
import { at, later, unknown } from './fixtures.ts';

export function describeCases(store: () => Store): void {
  describe('cases', () => {
    test("another organisation's case is as unknown as one that does not exist", async () => {
      const [owner, other] = [await addOrganisation(store()), await addOrganisation(store())];
      const caseId = await addCase(store(), owner, buildCase(['analysing']));
      expect(await store().findCase(other, caseId)).toBeUndefined();
      expect(await store().findCase(owner, unknown)).toBeUndefined();
      expect(await store().findOwnerOfCase(caseId)).toBe(owner);
    });

    test('an import tells after each file how many were added', async () => {
      const organisationId = await addOrganisation(store());
      const told: number[] = [];
      const cases = [buildCase(['analysing', 'analysing']), buildCase([]), buildCase(['analysing'])];
      await store().importCases(organisationId, cases, (added) => told.push(added));
      expect(told).toEqual([1, 2, 3]);
    });

    test('an import of an identifier that is taken, or for no organisation, adds nothing, and its place is told', async () => {
      const organisationId = await addOrganisation(store());
      const taken = buildCase(['analysing']);
      await addCase(store(), organisationId, taken);
      const fresh = buildCase(['analysing']);
      for (const [place, cases] of [
        ['[1].case_id', [fresh, { ...taken, label: 'changed', files: [] }]],
        ['[0].files[1].file_id', [{ ...fresh, files: [...fresh.files, ...taken.files] }]],
      ] as const) {
        const refused = store().importCases(organisationId, cases);
        await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place });
        expect(await store().findCase(organisationId, fresh.case_id)).toBeUndefined();
        expect(await store().findCase(organisationId, taken.case_id)).toEqual(taken);
      }
      const nobodys = store().importCases(unknown, [buildCase([])]);
      await expect(nobodys).rejects.toThrow(new NotFoundError('organisation', unknown));
    });

    test('are locked once, and unlocked any number of times', async () => {
      const organisationId = await addOrganisation(store());
      const caseId = await addCase(store(), organisationId);
      await store().lockCase(caseId, at);
      await expect(store().lockCase(caseId, later)).rejects.toThrow(ConflictError);
      expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: at, updated_at: at });
      await store().unlockCase(caseId, later);
      await store().unlockCase(caseId, '2026-03-02T14:00:00.000Z');
      expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: null, updated_at: later });
    });

    test('an unknown one has no owner and is neither locked nor unlocked', async () => {
      const error = new NotFoundError('case', unknown);
      await expect(store().findOwnerOfCase(unknown)).rejects.toThrow(error);
      await expect(store().lockCase(unknown, at)).rejects.toThrow(error);
      await expect(store().unlockCase(unknown, at)).rejects.toThrow(error);
    });

    test('are listed without files, of one organisation or of all, the newest first, up to a limit', async () => {
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
  });
}
