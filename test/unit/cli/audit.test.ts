import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { SettingUpdateEntry } from '../../../src/domain/audit.ts';
import type { IssuedCredential } from '../../../src/domain/issue-credential.ts';
import { CliHarness } from '../../support/cli.ts';
import { addCase } from '../../support/tenants.ts';
import { analyse, newFile } from '../../store/conformance/analysis-fixtures.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

/** An organisation whose setting is switched on, and the entry of it. */
async function switchedOn(name: string): Promise<SettingUpdateEntry> {
  const create = ['organisation', 'create', name, '--feature', 'verification'];
  const { organisation_id: organisationId } = await cli.json<{ organisation_id: string }>(create);
  const kind = ['--kind', 'api-key', '--role', 'owner'];
  const issued = await cli.json<IssuedCredential>(['credential', 'issue', organisationId, ...kind]);
  return cli.withStore((store) =>
    store.updateVerificationSetting({
      organisationId,
      enabled: true,
      credentialId: issued.credential_id,
      requestId: `request-of-${name}`,
      occurredAt: '2026-03-02T12:00:00.000Z',
    }),
  );
}

describe('audit list', () => {
  test('lists the newest entry first, of one organisation if asked, up to a limit', async () => {
    const [first, second] = [await switchedOn('first'), await switchedOn('second')];
    expect(await cli.json(['audit', 'list'])).toEqual([second, first]);
    expect(await cli.json(['audit', 'list', '--limit', '1'])).toEqual([second]);
    const mine = ['--organisation', first.organisation_id.toUpperCase()];
    expect(await cli.json(['audit', 'list', ...mine])).toEqual([first]);
  });

  test('shows people who changed what', async () => {
    const entry = await switchedOn('first');
    const { stdout } = await cli.run(['audit', 'list']);
    expect(stdout).toMatch(/^TIME +ORGANISATION +CREDENTIAL +ACTION +BEFORE +AFTER +CLEARED +REQUEST +FILE\n/);
    const who = `${entry.organisation_id} +${entry.credential_id}`;
    expect(stdout).toMatch(
      new RegExp(`^2026-03-02T12:00:00.000Z +${who} +${entry.action} +off +on +0 +request-of-first +-$`, 'm'),
    );
  });

  test('shows the end of an analysis, which nobody asked for by a request', async () => {
    const entry = await switchedOn('first');
    const { organisation_id: organisationId } = entry;
    const fileId = await cli.withStore(async (store) => {
      const at = '2026-03-02T13:00:00.000Z';
      const caseId = await addCase(store, organisationId);
      await store.addFiles({ caseId, files: [newFile('same'), newFile('same', '2026-03-02T12:30:00.000Z')], at });
      await analyse(store);
      const ended = await store.takeAnalysis({ at, leaseMilliseconds: 0 });
      return ended?.file_id;
    });
    const { stdout } = await cli.run(['audit', 'list']);
    expect(stdout).toMatch(
      new RegExp(
        `^2026-03-02T13:00:00.000Z +${organisationId} +- +file.analysis.completed +` +
          `waiting_for_analysis +analysis_complete \\(cached\\) +0 +- +${fileId}$`,
        'm',
      ),
    );
    expect(await cli.json(['audit', 'list', '--limit', '1'])).toMatchObject([
      {
        credential_id: null,
        request_id: null,
        after: { file_id: fileId, from_cache: true, verification_enabled: true },
      },
    ]);
  });

  test('says where it looked if there is none', async () => {
    const { exitCode, stdout } = await cli.run(['audit', 'list']);
    expect([exitCode, stdout]).toEqual([0, `No audit entries yet in ${cli.databasePath}.\n`]);
  });

  test('refuses an unknown organisation, and a limit that is none', async () => {
    const missing = await cli.run(['audit', 'list', '--organisation', 'nobody']);
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('organisation list')]);
    for (const limit of ['0', '-1', 'many', '100001'])
      expect(await cli.run(['audit', 'list', `--limit=${limit}`])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
