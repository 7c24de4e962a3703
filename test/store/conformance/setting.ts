import { expect, test } from '@jest/globals';
import type { Authorisation, HeldRights, Store } from '../../../src/store/store.ts';
import { NotFoundError } from '../../../src/store/errors.ts';
import { addCase, addCredential, addOrganisation, setFeature } from '../../support/tenants.ts';
import { at, later, saveResult, settingFixture, unknown } from './fixtures.ts';

const refused = new Error('refused');
/** An update that fails: its author does not exist. */
const failing = { enabled: true, credentialId: unknown, requestId: 'r', occurredAt: at };

/** The verification setting, what it clears, its audit, and the authorisation of its writes. */
export function describeSetting(store: () => Store): void {
  test('a change of the verification setting saves it, clears the cached results of this organisation alone, and is audited', async () => {
    const { organisationId, update } = await settingFixture(store(), 3);
    const neighbour = await settingFixture(store(), 1);
    expect(await store().readVerificationSetting(organisationId)).toBe(false);
    const entry = await update(true);
    expect(entry).toMatchObject({ before: { enabled: false }, after: { enabled: true }, cleared: 3 });
    expect(await store().readVerificationSetting(organisationId)).toBe(true);
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual([entry]);
    expect(await store().readVerificationSetting(neighbour.organisationId)).toBe(false);
    expect(await store().countCachedAnalysisResults(neighbour.organisationId)).toBe(1);
  });

  test('an update of the verification setting whose audit entry cannot be written changes nothing at all', async () => {
    const { organisationId } = await settingFixture(store(), 2);
    await expect(store().updateVerificationSetting({ ...failing, organisationId })).rejects.toThrow();
    expect(await store().readVerificationSetting(organisationId)).toBe(false);
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
  });

  test('of updates of the verification setting made at once, one that fails leaves the others, which follow one another', async () => {
    const { organisationId, update } = await settingFixture(store(), 1);
    const outcomes = await Promise.allSettled([
      update(true),
      store().updateVerificationSetting({ ...failing, organisationId }),
      update(false),
      update(true),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const entries = (await store().listAuditEntries({ organisationId, limit: 10 })).reverse();
    expect(entries).toHaveLength(3);
    const held = [{ enabled: false }, ...entries.map(({ after }) => after)];
    expect(entries.map(({ before }) => before)).toEqual(held.slice(0, -1));
    expect([{ enabled: await store().readVerificationSetting(organisationId) }]).toEqual(held.slice(-1));
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(0);
  });

  test('an unknown organisation has no verification setting, and no cached results', async () => {
    const error = new NotFoundError('organisation', unknown);
    await expect(store().readVerificationSetting(unknown)).rejects.toThrow(error);
    await expect(store().updateVerificationSetting({ ...failing, organisationId: unknown })).rejects.toThrow(error);
    await expect(saveResult(store(), unknown, 'a')).rejects.toThrow(error);
  });

  test('the audit log is listed from the newest entry, of one organisation or of all, up to a limit', async () => {
    const [one, other] = [await settingFixture(store(), 0), await settingFixture(store(), 0)];
    // The clock goes back between the two: the order is that of writing.
    const first = await one.update(true, later);
    const second = await other.update(true, at);
    const third = await one.update(false, at);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual([third, second, first]);
    expect(await store().listAuditEntries({ limit: 1 })).toEqual([third]);
    expect(await store().listAuditEntries({ organisationId: one.organisationId, limit: 10 })).toEqual([third, first]);
  });

  /** The rights of its callers that a write is told. */
  const rightsIn = async (...callers: Authorisation['callers']) => {
    let told: readonly (HeldRights | undefined)[] = [];
    const check: Authorisation['check'] = (rights) => void (told = rights);
    await store().authorisedBy({ callers, check }).setPermission('viewer', 'a:b', false);
    return told;
  };
  const refusing = (credentialId: string, organisationId: string): Authorisation => ({
    callers: [{ credentialId, organisationId }],
    check: () => {
      throw refused;
    },
  });

  test('a write that needs an authorisation is told the rights that its caller has now', async () => {
    const organisationId = await addOrganisation(store());
    const member = { kind: 'api-key', role: 'member', expires_at: later } as const;
    const { credentialId } = await addCredential(store(), organisationId, member);
    const caller = { credentialId, organisationId };
    const credential = { kind: 'api-key', expires_at: later, revoked_at: null };
    const permissions = ['organisation_settings:read'];
    expect(await rightsIn(caller)).toMatchObject([{ credential, permissions, features: ['verification'] }]);
    await setFeature(store(), organisationId, false);
    await store().setPermission('member', 'organisation_settings:read', false);
    await store().revokeCredential(credentialId, at);
    const none = { credential: { ...credential, revoked_at: at }, permissions: [], features: [] };
    expect(await rightsIn(caller)).toMatchObject([none]);
  });

  test('a write that needs an authorisation is told the rights of each caller, and the features alone of one without a credential of the organisation', async () => {
    const [one, other] = [await addOrganisation(store()), await addOrganisation(store(), [])];
    const foreign = await addCredential(store(), other, { kind: 'access-token', role: null });
    const none = { credential: undefined, permissions: [], features: ['verification'] };
    const own = await addCredential(store(), one, { kind: 'api-key', role: 'owner' });
    const caller = (credentialId: string, organisationId = one) => ({ credentialId, organisationId });
    const { credentialId: foreignId } = foreign;
    const callers = [caller("jwt_'"), caller(own.credentialId), caller(foreignId), caller(foreignId, unknown)];
    const ownRights = { credential: { kind: 'api-key' }, features: ['verification'] };
    expect(await rightsIn(...callers)).toMatchObject([none, ownRights, none, undefined]);
  });

  test('a write that needs an authorisation changes nothing if it is refused, whatever it writes', async () => {
    const { organisationId, credentialId, change } = await settingFixture(store(), 2);
    const caseId = await addCase(store(), organisationId);
    const authorised = store().authorisedBy(refusing(credentialId, organisationId));
    await expect(authorised.updateVerificationSetting(change)).rejects.toBe(refused);
    await expect(authorised.lockCase(caseId, at)).rejects.toBe(refused);
    expect(await store().readVerificationSetting(organisationId)).toBe(false);
    expect(await store().countCachedAnalysisResults(organisationId)).toBe(2);
    expect(await store().listAuditEntries({ limit: 10 })).toEqual([]);
    expect(await store().findCase(organisationId, caseId)).toMatchObject({ locked_at: null });
  });

  test('a write that needs an authorisation leaves reads, and the writes of others at the same moment, as they are', async () => {
    const { organisationId, credentialId, change, update } = await settingFixture(store(), 0);
    const authorised = store().authorisedBy(refusing(credentialId, organisationId));
    const refusedOne = authorised.updateVerificationSetting({ ...change, enabled: false });
    const outcomes = [update(true), refusedOne, update(true), authorised.readVerificationSetting(organisationId)];
    const statuses = (await Promise.allSettled<unknown>(outcomes)).map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await store().readVerificationSetting(organisationId)).toBe(true);
    expect(await store().listAuditEntries({ limit: 10 })).toHaveLength(2);
  });
}
