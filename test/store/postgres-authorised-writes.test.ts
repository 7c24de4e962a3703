/** A right is not withdrawn between the check of a write and its commit: one waits for the other. */
import { expect, test } from '@jest/globals';
import type { HeldRights } from '../../src/store/authorisation.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';
import { setFeature } from '../support/tenants.ts';
import { at, settingFixture } from './conformance/fixtures.ts';

describeDatabase('a write that needs an authorisation, on PostgreSQL', (database) => {
  const own = eachPostgresStore(database);

  const authorisedUpdate = async () => {
    const { organisationId, credentialId } = await settingFixture(own.store, 0);
    let told: HeldRights | undefined;
    const callers = [{ credentialId, organisationId }];
    const authorised = own.store.authorisedBy({ callers, check: ([rights]) => void (told = rights) });
    const update = () =>
      authorised.updateVerificationSetting({
        organisationId,
        enabled: true,
        credentialId,
        requestId: 'r',
        occurredAt: at,
      });
    return { organisationId, credentialId, update, told: () => told };
  };

  test.each([
    ['a revocation', `UPDATE credential SET revoked_at = '${at}'`, { credential: { revoked_at: at } }],
    [
      'the loss of a permission',
      "DELETE FROM role_permission WHERE permission = 'organisation_settings:write'",
      { permissions: ['organisation_settings:read'] },
    ],
    ['the loss of a feature', 'DELETE FROM organisation_feature', { features: [] }],
  ])('waits for %s that is being made, and is told of it', async (_, statement, expected) => {
    const { update, told } = await authorisedUpdate();
    await own.beside.query(`BEGIN; ${statement}`);
    const updated = update();
    expect(await isBlocked(database, updated)).toBe(true);
    await own.beside.query('COMMIT');
    await updated;
    expect(told()).toMatchObject(expected);
  });

  test('is waited for by a revocation, and by the loss of a permission or a feature', async () => {
    const { organisationId, credentialId, update } = await authorisedUpdate();
    await own.beside.query('BEGIN; SELECT FROM organisation FOR UPDATE');
    const updated = update();
    expect(await isBlocked(database, updated)).toBe(true);
    const withdrawn = Promise.all([
      own.store.revokeCredential(credentialId, at),
      own.store.setPermission('owner', 'organisation_settings:write', false),
      setFeature(own.store, organisationId, false),
    ]);
    expect(await isBlocked(database, withdrawn, 4)).toBe(true);
    await own.beside.query('COMMIT');
    await Promise.all([updated, withdrawn]);
  });
});
