import { createHash, randomUUID } from 'node:crypto';
import type { Organisation } from '../../src/domain/organisation.js';
import { hashSecret } from '../../src/domain/secret.js';
import { ConflictError, NotFoundError } from '../../src/store/errors.js';
import type { Store } from '../../src/store/store.js';
import { addCase, addCredential, addOrganisation, buildCase } from '../support/tenants.js';

const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
const at = '2026-03-02T12:00:00.000Z';
const later = '2026-03-02T13:00:00.000Z';

/** What every store must do, whatever engine it stands on. `open` gives an empty store. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`the ${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    describeOrganisations(() => store);
    describeRoles(() => store);
    describeCredentials(() => store);
    describeVerificationSetting(() => store);
    describeCases(() => store);
    describeCachedResults(() => store);
    describeAudit(() => store);
  });
}

function describeOrganisations(store: () => Store): void {
  describe('organisations', () => {
    const build = (overrides: Partial<Organisation> = {}): Organisation => ({
      organisation_id: randomUUID(),
      name: 'Acme Ltd',
      created_at: at,
      features: ['verification'],
      verification_enabled: false,
      ...overrides,
    });

    test('are listed as they were created, the oldest first', async () => {
      const second = build({ name: 'Second', created_at: later, features: [], verification_enabled: true });
      const first = build();
      await store().createOrganisation(second);
      await store().createOrganisation(first);
      expect(await store().listOrganisations()).toEqual([first, second]);
    });

    test('cannot share a name, and a refused one leaves nothing behind', async () => {
      const first = build();
      await store().createOrganisation(first);
      const refused = store().createOrganisation(build({ features: [] }));
      await expect(refused).rejects.toThrow(ConflictError);
      expect(await store().listOrganisations()).toEqual([first]);
    });

    test('cannot share an identifier', async () => {
      const first = build();
      await store().createOrganisation(first);
      await expect(store().createOrganisation({ ...first, name: 'Another' })).rejects.toThrow(ConflictError);
    });

    test('are given features and lose them, any number of times', async () => {
      const id = await addOrganisation(store(), []);
      const features = async () => (await store().listOrganisations())[0]?.features;
      await store().setFeature(id, 'verification', true);
      await store().setFeature(id, 'verification', true);
      expect(await features()).toEqual(['verification']);
      await store().setFeature(id, 'verification', false);
      await store().setFeature(id, 'verification', false);
      expect(await features()).toEqual([]);
    });

    test('a feature of an unknown one is refused', async () => {
      await expect(store().setFeature(unknown, 'verification', true)).rejects.toThrow(
        new NotFoundError('organisation', unknown),
      );
    });
  });
}

function describeRoles(store: () => Store): void {
  describe('roles', () => {
    test('hold the permissions of decision D20 at first', async () => {
      expect(await store().listRoles()).toEqual([
        { role: 'member', permissions: ['organisation_settings:read'] },
        { role: 'owner', permissions: ['organisation_settings:read', 'organisation_settings:write'] },
        { role: 'viewer', permissions: [] },
      ]);
    });

    test('gain and lose a permission for the credentials that exist', async () => {
      const { secret } = await addCredential(store(), await addOrganisation(store()), {
        kind: 'api-key',
        role: 'viewer',
      });
      const permissions = async () => (await store().findCredential(hashSecret(secret)))?.permissions;
      await store().setPermission('viewer', 'organisation_settings:read', true);
      await store().setPermission('viewer', 'organisation_settings:read', true);
      expect(await permissions()).toEqual(['organisation_settings:read']);
      await store().setPermission('viewer', 'organisation_settings:read', false);
      expect(await permissions()).toEqual([]);
    });

    test('an unknown one is refused', async () => {
      await expect(store().setPermission('boss', 'organisation_settings:read', true)).rejects.toThrow(
        new NotFoundError('role', 'boss'),
      );
    });
  });
}

function describeCredentials(store: () => Store): void {
  describe('credentials', () => {
    test('are found by the hash of their secret, with the rights of role and organisation', async () => {
      const organisationId = await addOrganisation(store());
      const key = await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner', expires_at: later });
      const found = await store().findCredential(hashSecret(key.secret));
      expect({ ...found, secret_sha256: Buffer.from(found?.secret_sha256 ?? []) }).toEqual({
        credential_id: key.credentialId,
        organisation_id: organisationId,
        kind: 'api-key',
        expires_at: later,
        revoked_at: null,
        secret_sha256: hashSecret(key.secret),
        permissions: ['organisation_settings:read', 'organisation_settings:write'],
        features: ['verification'],
      });
    });

    test('an access token has no permissions of a role', async () => {
      const { secret } = await addCredential(store(), await addOrganisation(store(), []), {
        kind: 'access-token',
        role: null,
      });
      expect(await store().findCredential(hashSecret(secret))).toMatchObject({ permissions: [], features: [] });
    });

    test('an unknown hash finds nothing', async () => {
      expect(await store().findCredential(hashSecret('nothing'))).toBeUndefined();
    });

    test('need an organisation and a role that exist', async () => {
      const added = addCredential(store(), unknown, { kind: 'access-token', role: null });
      await expect(added).rejects.toThrow(new NotFoundError('organisation', unknown));
      const organisationId = await addOrganisation(store());
      const withRole = addCredential(store(), organisationId, { kind: 'api-key', role: 'boss' });
      await expect(withRole).rejects.toThrow(new NotFoundError('role', 'boss'));
      expect(await store().listCredentials()).toEqual([]);
    });

    test('are listed without secrets, of one organisation or of all, the oldest first', async () => {
      const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
      const second = await addCredential(store(), one, { kind: 'access-token', role: null, created_at: later });
      const first = await addCredential(store(), one, { kind: 'api-key', role: 'member', created_at: at });
      const foreign = await addCredential(store(), other, { kind: 'api-key', role: 'owner', created_at: at });
      const ids = (list: { credential_id: string }[]) => list.map(({ credential_id: id }) => id);
      const listed = await store().listCredentials(one);
      expect(ids(listed)).toEqual([first.credentialId, second.credentialId]);
      expect(listed[0]).toEqual({
        credential_id: first.credentialId,
        organisation_id: one,
        kind: 'api-key',
        role: 'member',
        created_at: at,
        expires_at: null,
        revoked_at: null,
      });
      expect(ids(await store().listCredentials())).toEqual(
        expect.arrayContaining([first.credentialId, second.credentialId, foreign.credentialId]),
      );
    });

    test('keep the moment of their first revocation', async () => {
      const { credentialId } = await addCredential(store(), await addOrganisation(store()), {
        kind: 'access-token',
        role: null,
      });
      await store().revokeCredential(credentialId, at);
      await store().revokeCredential(credentialId, later);
      expect(await store().readCredential(credentialId)).toMatchObject({ revoked_at: at });
    });

    test('are replaced by a successor that takes over all but secret, identifier and age', async () => {
      const organisationId = await addOrganisation(store());
      const old = await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner', expires_at: later });
      const credentialId = randomUUID();
      const successor = await store().replaceCredential(old.credentialId, {
        credentialId,
        secretSha256: hashSecret('new'),
        at,
      });
      expect(successor).toEqual({
        credential_id: credentialId,
        organisation_id: organisationId,
        kind: 'api-key',
        role: 'owner',
        created_at: at,
        expires_at: later,
        revoked_at: null,
      });
      expect(await store().readCredential(credentialId)).toEqual(successor);
      expect(await store().readCredential(old.credentialId)).toMatchObject({ revoked_at: at });
      expect(await store().findCredential(hashSecret('new'))).toMatchObject({ credential_id: credentialId });
    });

    test('a revoked one has no successor, and a successor that cannot be added revokes nothing', async () => {
      const organisationId = await addOrganisation(store());
      const [one, two] = [
        await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner' }),
        await addCredential(store(), organisationId, { kind: 'api-key', role: 'owner' }),
      ];
      const successor = { credentialId: two.credentialId, secretSha256: hashSecret('new'), at };
      await expect(store().replaceCredential(one.credentialId, successor)).rejects.toThrow();
      expect(await store().readCredential(one.credentialId)).toMatchObject({ revoked_at: null });
      await store().revokeCredential(one.credentialId, at);
      const again = store().replaceCredential(one.credentialId, { ...successor, credentialId: randomUUID() });
      await expect(again).rejects.toThrow(ConflictError);
      expect(await store().findCredential(hashSecret('new'))).toBeUndefined();
    });

    test('an unknown one is neither read, replaced nor revoked', async () => {
      const error = new NotFoundError('credential', unknown);
      const successor = { credentialId: randomUUID(), secretSha256: hashSecret('new'), at };
      await expect(store().readCredential(unknown)).rejects.toThrow(error);
      await expect(store().replaceCredential(unknown, successor)).rejects.toThrow(error);
      await expect(store().revokeCredential(unknown, at)).rejects.toThrow(error);
    });
  });
}

/** An organisation with a credential and cached results, ready for an update of its setting. */
async function settingFixture(store: Store, cached: number) {
  const organisationId = await addOrganisation(store);
  const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
  for (let index = 0; index < cached; index += 1) await saveResult(store, organisationId, `content ${index}`);
  const update = (enabled: boolean, occurredAt = at) =>
    store.updateVerificationSetting({ organisationId, enabled, credentialId, requestId: 'request-1', occurredAt });
  return { organisationId, credentialId, update };
}

function saveResult(store: Store, organisationId: string, content: string): Promise<void> {
  return store.saveCachedAnalysisResult({
    organisation_id: organisationId,
    content_sha256: createHash('sha256').update(content).digest(),
    result: { content },
    created_at: at,
  });
}

function describeVerificationSetting(store: () => Store): void {
  describe('the verification setting', () => {
    test('is off until somebody switches it on', async () => {
      expect(await store().readVerificationSetting(await addOrganisation(store()))).toBe(false);
    });

    test('a change saves it, clears the cached results of this organisation alone, and is audited', async () => {
      const { organisationId, credentialId, update } = await settingFixture(store(), 3);
      const neighbour = await settingFixture(store(), 1);
      const entry = await update(true);
      expect(entry).toEqual({
        id: expect.any(String) as string,
        occurred_at: at,
        organisation_id: organisationId,
        credential_id: credentialId,
        action: 'organisation.verification-setting.updated',
        before: { enabled: false },
        after: { enabled: true },
        request_id: 'request-1',
        cleared: 3,
      });
      expect(await store().readVerificationSetting(organisationId)).toBe(true);
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([entry]);
      expect(await store().readVerificationSetting(neighbour.organisationId)).toBe(false);
      expect(await store().countCachedAnalysisResults(neighbour.organisationId)).toBe(1);
    });

    test('the value that is held clears nothing, and is audited too', async () => {
      const { organisationId, update } = await settingFixture(store(), 2);
      expect(await update(false)).toMatchObject({ before: { enabled: false }, after: { enabled: false }, cleared: 0 });
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
      expect(await store().listAuditEntries({ limit: 10 })).toHaveLength(1);
    });

    test('can be switched off again', async () => {
      const { organisationId, update } = await settingFixture(store(), 0);
      await update(true);
      await saveResult(store(), organisationId, 'afterwards');
      expect(await update(false)).toMatchObject({ before: { enabled: true }, after: { enabled: false }, cleared: 1 });
      expect(await store().readVerificationSetting(organisationId)).toBe(false);
    });

    test('an update whose audit entry cannot be written changes nothing at all', async () => {
      const { organisationId } = await settingFixture(store(), 2);
      const change = { organisationId, enabled: true, credentialId: unknown, requestId: 'request-1', occurredAt: at };
      await expect(store().updateVerificationSetting(change)).rejects.toThrow();
      expect(await store().readVerificationSetting(organisationId)).toBe(false);
      expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
    });

    test('an unknown organisation has none', async () => {
      const error = new NotFoundError('organisation', unknown);
      const change = { organisationId: unknown, enabled: true, credentialId: unknown, requestId: 'r', occurredAt: at };
      await expect(store().readVerificationSetting(unknown)).rejects.toThrow(error);
      await expect(store().updateVerificationSetting(change)).rejects.toThrow(error);
    });
  });
}

function describeCases(store: () => Store): void {
  describe('cases', () => {
    test('are found whole, their files ordered by time of upload, then identifier', async () => {
      const organisationId = await addOrganisation(store());
      const added = buildCase(['analysis_complete', 'analysing', 'waiting_for_upload'], { locked_at: at });
      const [first, second, third] = added.files;
      if (!first || !second || !third) throw new Error('a case of three files was asked for');
      third.uploaded_at = second.uploaded_at;
      [second.file_id, third.file_id] = [
        'b0000000-0000-4000-8000-000000000000',
        'a0000000-0000-4000-8000-000000000000',
      ];
      await addCase(store(), organisationId, { ...added, files: [second, first, third] });
      expect(await store().findCase(organisationId, added.case_id)).toEqual({
        ...added,
        files: [first, third, second],
      });
    });

    test('keep metadata, a missing label and unusual characters as they are', async () => {
      const organisationId = await addOrganisation(store());
      const metadata = { nested: { list: [1, null, 'ß😀'] }, '': true } as unknown as Record<string, never>;
      const added = buildCase([], { label: null, metadata });
      await addCase(store(), organisationId, added);
      expect(await store().findCase(organisationId, added.case_id)).toEqual(added);
    });

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

    test('an import of a case whose identifier is taken adds nothing, and its place is told', async () => {
      const organisationId = await addOrganisation(store());
      const taken = buildCase([]);
      await addCase(store(), organisationId, taken);
      const fresh = buildCase(['analysing']);
      const refused = store().importCases(organisationId, [fresh, { ...taken, label: 'changed' }]);
      await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place: '[1].case_id' });
      expect(await store().findCase(organisationId, fresh.case_id)).toBeUndefined();
      expect(await store().findCase(organisationId, taken.case_id)).toEqual(taken);
    });

    test('an import of a file whose identifier is taken adds nothing, and its place is told', async () => {
      const organisationId = await addOrganisation(store());
      const taken = buildCase(['analysing']);
      await addCase(store(), organisationId, taken);
      const fresh = buildCase(['analysing']);
      const refused = store().importCases(organisationId, [{ ...fresh, files: [...fresh.files, ...taken.files] }]);
      await expect(refused).rejects.toMatchObject({ name: 'ConflictError', place: '[0].files[1].file_id' });
      expect(await store().findCase(organisationId, fresh.case_id)).toBeUndefined();
    });

    test('need an organisation that exists', async () => {
      await expect(store().importCases(unknown, [buildCase([])])).rejects.toThrow(
        new NotFoundError('organisation', unknown),
      );
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

function describeCachedResults(store: () => Store): void {
  describe('cached analysis results', () => {
    test('are counted by organisation; the same content is held once', async () => {
      const [one, other] = [await addOrganisation(store()), await addOrganisation(store())];
      expect(await store().countCachedAnalysisResults(one)).toBe(0);
      await saveResult(store(), one, 'a');
      await saveResult(store(), one, 'a');
      await saveResult(store(), one, 'b');
      await saveResult(store(), other, 'a');
      expect(await store().countCachedAnalysisResults(one)).toBe(2);
    });

    test('need an organisation that exists', async () => {
      await expect(saveResult(store(), unknown, 'a')).rejects.toThrow(new NotFoundError('organisation', unknown));
    });
  });
}

function describeAudit(store: () => Store): void {
  describe('the audit log', () => {
    test('is listed from the newest entry, of one organisation or of all, up to a limit', async () => {
      const [one, other] = [await settingFixture(store(), 0), await settingFixture(store(), 0)];
      // The clock goes back between the two: the order is that of writing.
      const first = await one.update(true, later);
      const second = await other.update(true, at);
      const third = await one.update(false, at);
      expect(await store().listAuditEntries({ limit: 10 })).toEqual([third, second, first]);
      expect(await store().listAuditEntries({ limit: 1 })).toEqual([third]);
      expect(await store().listAuditEntries({ organisationId: one.organisationId, limit: 10 })).toEqual([third, first]);
    });
  });
}
