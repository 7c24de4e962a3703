import { expect, test } from '@jest/globals';
import type { SettingUpdateEntry } from '../../../src/domain/audit.ts';
import type { IssuedCredential } from '../../../src/domain/credential.ts';
import { CliHarness } from '../../support/cli.ts';
import { addCase } from '../../support/tenants.ts';
import { analyse, newFile } from '../../store/conformance/analysis-fixtures.ts';

const cli = CliHarness.forEachTest();

async function switchedOn(name: string): Promise<SettingUpdateEntry> {
  const { organisation_id: organisationId } = await cli.json<{ organisation_id: string }>(
    `organisation create ${name} --feature verification`,
  );
  const issue = `credential issue ${organisationId} --kind api-key --role owner`;
  const { credential_id: credentialId } = await cli.json<IssuedCredential>(issue);
  const by = { credentialId, requestId: `request-of-${name}`, occurredAt: '2026-03-02T12:00:00.000Z' };
  return cli.withStore((store) => store.updateVerificationSetting({ organisationId, enabled: true, ...by }));
}

test('audit list lists the newest entry first, of one organisation if asked, up to a limit', async () => {
  const [first, second] = [await switchedOn('first'), await switchedOn('second')];
  expect(await cli.json('audit list')).toEqual([second, first]);
  expect(await cli.json('audit list --limit 1')).toEqual([second]);
  expect(await cli.json(`audit list --organisation ${first.organisation_id.toUpperCase()}`)).toEqual([first]);
  const text = await cli.text('audit list');
  expect(text).toMatch(/^OCCURRED +ORGANISATION +CREDENTIAL +ACTION +BEFORE +AFTER +CLEARED +REQUEST +FILE\n/);
  const who = `${first.organisation_id} +${first.credential_id}`;
  expect(text).toMatch(
    new RegExp(`^2026-03-02T12:00:00.000Z +${who} +${first.action} +off +on +0 +request-of-first +-$`, 'm'),
  );
});

test('audit list shows the end of an analysis, which nobody asked for by a request', async () => {
  const { organisation_id: organisationId } = await switchedOn('first');
  const fileId = await cli.withStore(async (store) => {
    const at = '2026-03-02T13:00:00.000Z';
    const caseId = await addCase(store, organisationId);
    await store.addFiles({ caseId, files: [newFile('same'), newFile('same', '2026-03-02T12:30:00.000Z')], at });
    await analyse(store);
    return (await store.takeAnalysis({ at, leaseMilliseconds: 0 }))?.file_id;
  });
  expect(await cli.text('audit list')).toMatch(
    new RegExp(
      `^2026-03-02T13:00:00.000Z +${organisationId} +- +file.analysis.completed +` +
        `waiting_for_analysis +analysis_complete \\(cached\\) +0 +- +${fileId}$`,
      'm',
    ),
  );
  const after = { file_id: fileId, from_cache: true, verification_enabled: true };
  expect(await cli.json('audit list --limit 1')).toMatchObject([{ credential_id: null, request_id: null, after }]);
});

test.each(['0', '-1', 'many', '100001'])('audit list refuses the limit %s', async (limit) => {
  await cli.fails(2, `audit list --limit=${limit}`);
});
