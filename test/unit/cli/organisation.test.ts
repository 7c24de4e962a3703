import { describe, expect, test } from '@jest/globals';
import { type Organisation, declaredPermissions } from '../../../src/domain/organisation.ts';
import { analyse, newFile, saveResult, unknown } from '../../store/conformance/fixtures.ts';
import { CliHarness } from '../../support/cli.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import type { SettingUpdateEntry } from '../../../src/domain/audit.ts';
import type { IssuedCredential } from '../../../src/domain/credential.ts';
import { addCase } from '../../support/tenants.ts';

const cli = CliHarness.forEachTest();
const acme: Organisation = {
  organisation_id: unknown,
  name: 'Acme Ltd',
  created_at: '2026-03-02T12:00:00.000Z',
  features: [],
  verification_enabled: false,
};

const addVerified = (features: string[]) =>
  cli.withStore((store) => store.createOrganisation({ ...acme, features, verification_enabled: true }));

describe('organisation create', () => {
  test('makes an organisation with its setting off, and tells people the identifier', async () => {
    const created = await cli.json<Organisation>(['organisation', 'create', ' Acme Ltd ']);
    expect(created).toEqual({ ...acme, organisation_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await cli.json('organisation list')).toEqual([created]);
    expect(await cli.text('organisation create Other')).toMatch(/^Created organisation [0-9a-f-]{36}\.\n$/);
  });

  test('refuses a name that is taken, and makes nothing', async () => {
    await cli.addOrganisation();
    const taken = 'error: An organisation named Acme Ltd already exists.\n';
    expect(await cli.fails(1, ['organisation', 'create', 'Acme Ltd'])).toBe(taken);
    expect(await cli.json('organisation list')).toHaveLength(1);
  });

  test.each([['  '], ['x'.repeat(256)], ['a\u001b[31mb']])('refuses the name %j', async (name) => {
    const told = await cli.fails(2, ['organisation', 'create', name]);
    expect(told).toContain('A name must have 1 to 255 characters, none of them a control character.');
    expect(told).not.toContain('\u001b');
  });
});

test('organisation list shows each with its features, given once, and setting', async () => {
  await cli.text('organisation create Acme --feature verification --feature verification');
  await cli.addOrganisation('Zenith');
  const text = await cli.text('organisation list');
  expect(text).toMatch(/^ORGANISATION +NAME +CREATED +FEATURES +VERIFICATION\n/);
  expect(text).toMatch(/^[0-9a-f-]{36} +Acme +2026-03-02T12:00:00\.000Z +verification +off$/m);
  expect(text).toMatch(/^[0-9a-f-]{36} +Zenith +2026-03-02T12:00:00\.000Z +- +off$/m);
});

test('organisation list shows a setting that is on', async () => {
  await addVerified([]);
  expect(await cli.text('organisation list')).toMatch(/ on, without the feature$/m);
  await cli.text(`organisation feature ${unknown} verification on`);
  expect(await cli.text('organisation list')).toMatch(/ on$/m);
});

describe('organisation feature', () => {
  test('gives a feature and takes it away, and is audited', async () => {
    const id = await cli.addOrganisation();
    const set = (state: string) => cli.json(`organisation feature ${id.toUpperCase()} verification ${state}`);
    expect(await set('on')).toMatchObject({ organisation_id: id, features: ['verification'] });
    expect(await set('on')).toMatchObject({ features: ['verification'] });
    expect(await set('off')).toMatchObject({ features: [] });
    const text = await cli.text(`organisation feature ${id} verification on`);
    expect(text).toBe('Feature verification is now on for Acme Ltd.\n');
    const row = `${id} +- +organisation\\.feature\\.updated +verification off +verification on +0 +- +-$`;
    expect(await cli.text('audit list')).toMatch(new RegExp(row, 'm'));
  });

  test('tells what it means for an organisation whose setting is on, which is kept', async () => {
    await addVerified(['verification']);
    await cli.withStore((store) => saveResult(store, unknown, 'content'));
    const set = (state: string) => cli.text(`organisation feature ${unknown} verification ${state}`);
    expect(await set('off')).toBe(
      'Feature verification is now off for Acme Ltd. New analyses run no checks, although the verification setting stays ' +
        'on. Cached results cleared: 1.\n',
    );
    expect(await cli.json('organisation list')).toMatchObject([{ verification_enabled: true, features: [] }]);
    const on = 'Feature verification is now on for Acme Ltd. New analyses run checks. Cached results cleared: 0.\n';
    expect(await set('on')).toBe(on);
  });

  test('takes away a feature that operations knew once', async () => {
    const id = await cli.addOrganisation();
    const retired = { organisationId: id, feature: 'retired', enabled: true, occurredAt: '2026-03-02T11:00:00.000Z' };
    await cli.withStore((store) => store.updateFeature(retired));
    expect(await cli.json(`organisation feature ${id} retired off`)).toMatchObject({ features: [] });
  });
});

const write = 'organisation_settings:write';

test('role list shows the permissions of each role, which the document lists too, the owner first', async () => {
  const both = 'organisation_settings:read, organisation_settings:write';
  const rows = `member  organisation_settings:read\nowner   ${both}\nviewer  -\n`;
  expect(await cli.text('role list')).toBe(`ROLE    PERMISSIONS\n${rows}`);
  const [table = ''] = /\| Role \| Permissions \|\n(?:\|.*\n)+/.exec(ownDocument.description) ?? [];
  const roles = [...table.matchAll(/^\| (Owner|Member|Viewer) \| (.*) \|$/gm)].map(([, name = '', cell = '']) => ({
    role: name.toLowerCase(),
    permissions: [...cell.matchAll(/`(.*?)`/g)].map(([, permission]) => permission),
  }));
  expect(roles[0]?.role).toBe('owner');
  expect(await cli.json('role list')).toEqual(roles.toSorted((one, other) => (one.role < other.role ? -1 : 1)));
});

test('role grant and revoke change what a role holds', async () => {
  expect(await cli.json(`role grant viewer ${write}`)).toEqual({ role: 'viewer', permissions: [write] });
  expect(await cli.text(`role grant viewer ${write}`)).toBe(`Role viewer now has ${write}.\n`);
  expect(await cli.json(`role revoke viewer ${write}`)).toEqual({ role: 'viewer', permissions: [] });
  expect(await cli.text(`role revoke viewer ${write}`)).toBe(`Role viewer no longer has ${write}.\n`);
  // Operations required it once.
  await cli.withStore((store) => store.setPermission('viewer', 'retired', true));
  expect(await cli.json('role revoke viewer retired')).toEqual({ role: 'viewer', permissions: [] });
});

const features = 'feature magic. Known features: verification';
const permissions = `permission pigs:fly. Known permissions: ${declaredPermissions.join(', ')}`;
test.each([
  ['organisation create Other --feature magic', features],
  ...['on', 'off'].map((state) => [`organisation feature ORGANISATION magic ${state}`, features] as const),
  ...['grant', 'revoke'].map((command) => [`role ${command} owner pigs:fly`, permissions] as const),
])('what no operation knows is refused: %s', async (command, unknown) => {
  const organisation = await cli.addOrganisation();
  const told = await cli.fails(1, command.replace('ORGANISATION', organisation));
  expect(told).toBe(`error: Unknown ${unknown}.\n`);
});

async function switchedOn(name: string): Promise<SettingUpdateEntry> {
  const create = `organisation create ${name} --feature verification`;
  const { organisation_id: organisationId } = await cli.json<Organisation>(create);
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
  const who = `${first.organisation_id} +${first.credential_id} +${first.action}`;
  expect(text).toMatch(new RegExp(`^2026-03-02T12:00:00.000Z +${who} +off +on +0 +request-of-first +-$`, 'm'));
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
  const change = 'file.analysis.completed +waiting_for_analysis +analysis_complete \\(cached\\)';
  const row = `^2026-03-02T13:00:00.000Z +${organisationId} +- +${change} +0 +- +${fileId}$`;
  expect(await cli.text('audit list')).toMatch(new RegExp(row, 'm'));
  const after = { file_id: fileId, from_cache: true, verification_enabled: true };
  expect(await cli.json('audit list --limit 1')).toMatchObject([{ credential_id: null, request_id: null, after }]);
});

test.each(['0', '-1', 'many', '100001'])('audit list refuses the limit %s', async (limit) => {
  await cli.fails(2, `audit list --limit=${limit}`);
});
