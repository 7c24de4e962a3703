import { expect, test } from '@jest/globals';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { declaredFeatures, declaredPermissions } from '../../../src/domain/organisation.ts';
import { CliHarness } from '../../support/cli.ts';

const cli = CliHarness.forEachTest();
const write = 'organisation_settings:write';

test('role list shows the permissions of each role', async () => {
  expect(await cli.text('role list')).toBe(
    `ROLE    PERMISSIONS
member  organisation_settings:read
owner   organisation_settings:read, organisation_settings:write
viewer  -
`,
  );
});

test('the document lists the roles with the permissions that they hold at first, the owner first', async () => {
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
});

test('the permissions and features that exist are those that the document names', () => {
  const { operations } = ownDocument;
  expect(declaredPermissions).toContain('organisation_settings:read');
  expect(new Set(declaredPermissions)).toEqual(new Set(operations.flatMap((each) => each.requiredPermission ?? [])));
  expect(declaredFeatures).toContain('verification');
  expect(new Set(declaredFeatures)).toEqual(new Set(operations.flatMap((each) => each.requiredFeature ?? [])));
});

test.each(['grant', 'revoke'])('role %s refuses a permission that no operation requires', async (command) => {
  expect(await cli.fails(1, `role ${command} owner pigs:fly`)).toBe(
    `error: Unknown permission pigs:fly. Known permissions: ${declaredPermissions.join(', ')}.\n`,
  );
});

test('role revoke takes away a permission that operations required once', async () => {
  await cli.withStore((store) => store.setPermission('viewer', 'retired', true));
  expect(await cli.json('role revoke viewer retired')).toEqual({ role: 'viewer', permissions: [] });
});
