import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addCredential, addOrganisation } from '../../support/tenants.ts';

describeResponse('updateVerificationSetting', 200, (api) => {
  const update = (key: string, enabled: boolean, headers: Record<string, string> = {}) =>
    api.call('PUT', settingPath, { headers: { 'x-api-key': key, ...headers }, body: { enabled } });

  const cacheResults = async (organisation: string, contents: string[]) => {
    for (const content of contents)
      await api.store.saveCachedAnalysisResult({
        organisation_id: organisation,
        content_sha256: createHash('sha256').update(content).digest(),
        result: { outcome: content },
        created_at: '2026-03-02T09:00:00.000Z',
      });
  };

  test('responds with the saved value', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    expect((await update(key, true)).body).toEqual({ enabled: true });
    expect((await update(key, true)).body).toEqual({ enabled: true });
    expect((await update(key, false)).body).toEqual({ enabled: false });
  });

  test('ignores a byte order mark before the JSON', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const { status } = await api.call('PUT', settingPath, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '\ufeff{"enabled":true}',
    });
    expect(status).toBe(200);
  });

  test('clears the cached results of the organisation alone, and only if the value changes', async () => {
    const organisation = await addOrganisation(api.store);
    const neighbour = await addOrganisation(api.store);
    const key = await addApiKey(api.store, organisation, 'owner');
    await cacheResults(organisation, ['a', 'b']);
    await cacheResults(neighbour, ['a']);

    await update(key, false);
    expect(await api.store.countCachedAnalysisResults(organisation)).toBe(2);
    await update(key, true);
    expect(await api.store.countCachedAnalysisResults(organisation)).toBe(0);
    expect(await api.store.countCachedAnalysisResults(neighbour)).toBe(1);
  });

  test('writes an audit entry for each update, also when nothing changed', async () => {
    const organisation = await addOrganisation(api.store);
    const { secret, credentialId } = await addCredential(api.store, organisation, { kind: 'api-key', role: 'owner' });
    await cacheResults(organisation, ['a', 'b']);
    await update(secret, true, { 'x-request-id': 'first' });
    await update(secret, true, { 'x-request-id': 'second' });

    const entry = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
      organisation_id: organisation,
      credential_id: credentialId,
      action: 'organisation.verification-setting.updated',
      after: { enabled: true },
    };
    expect(await api.store.listAuditEntries({ organisationId: organisation, limit: 10 })).toEqual([
      { ...entry, request_id: 'second', before: { enabled: true }, cleared: 0 },
      { ...entry, request_id: 'first', before: { enabled: false }, cleared: 2 },
    ]);
  });

  test('accepts any spelling of the JSON media type', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    for (const type of ['application/json', 'Application/JSON; charset="UTF-8"', 'application/json;profile=x;a=b'])
      expect((await update(key, true, { 'content-type': type })).status).toBe(200);
  });
});
