import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { declaredPermissions } from '../../../src/domain/declared-rights.ts';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const write = 'organisation_settings:write';

test('role list shows the permissions of each role', async () => {
  expect((await cli.run(['role', 'list'])).stdout).toBe(
    [
      'ROLE    PERMISSIONS',
      'member  organisation_settings:read',
      'owner   organisation_settings:read, organisation_settings:write',
      'viewer  -',
      '',
    ].join('\n'),
  );
  expect(await cli.json(['role', 'list'])).toContainEqual({ role: 'viewer', permissions: [] });
});

test('the document lists the roles with the permissions that they hold at first, the owner first', async () => {
  const [table = ''] = /\| Role \| Permissions \|\n(?:\|.*\n)+/.exec(ownDocument.description) ?? [];
  const roles = [...table.matchAll(/^\| (Owner|Member|Viewer) \| (.*) \|$/gm)].map(([, name = '', cell = '']) => ({
    role: name.toLowerCase(),
    permissions: [...cell.matchAll(/`(.*?)`/g)].map(([, permission]) => permission),
  }));
  expect(roles[0]?.role).toBe('owner');
  expect(await cli.json(['role', 'list'])).toEqual(roles.toSorted((one, other) => (one.role < other.role ? -1 : 1)));
});

test('role grant and revoke change what a role holds', async () => {
  expect(await cli.json(['role', 'grant', 'viewer', write])).toEqual({ role: 'viewer', permissions: [write] });
  expect((await cli.run(['role', 'grant', 'viewer', write])).stdout).toBe(`Role viewer now has ${write}.\n`);
  expect(await cli.json(['role', 'revoke', 'viewer', write])).toEqual({ role: 'viewer', permissions: [] });
  expect((await cli.run(['role', 'revoke', 'viewer', write])).stdout).toBe(`Role viewer no longer has ${write}.\n`);
});

test.each(['grant', 'revoke'])('role %s refuses a permission that no operation requires', async (command) => {
  const { exitCode, stderr } = await cli.run(['role', command, 'owner', 'pigs:fly']);
  expect([exitCode, stderr]).toEqual([
    1,
    `error: Unknown permission pigs:fly. Known permissions: ${declaredPermissions.join(', ')}.\n`,
  ]);
});

test('role revoke takes away a permission that operations required once', async () => {
  await cli.withStore((store) => store.setPermission('viewer', 'retired', true));
  expect(await cli.json(['role', 'revoke', 'viewer', 'retired'])).toEqual({ role: 'viewer', permissions: [] });
});

test.each(['grant', 'revoke'])(
  'role %s refuses an unknown role and says how to list those that exist',
  async (name) => {
    const { exitCode, stderr } = await cli.run(['role', name, 'boss', write]);
    expect([exitCode, stderr]).toEqual([
      1,
      'error: There is no role boss. To see what exists: document-analysis role list\n',
    ]);
  },
);
