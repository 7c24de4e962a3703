import type { Command } from 'commander';
import { declaredPermissions, type Role } from '../domain/organisation.ts';
import { NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { commandGroup, refuseUnlessKnown, ReportingCommand } from './command.ts';
import type { CliContext } from './context.ts';

export function roleCommand(context: CliContext): Command {
  return commandGroup(context, 'role', 'Manage the permissions of roles', [
    listCommand,
    () => permissionCommand(context, true),
    () => permissionCommand(context, false),
  ]);
}

function listCommand(context: CliContext): Command {
  return new ReportingCommand(context, 'list', 'List the roles and their permissions.', ['role list']).onStore(
    async ({ store, report }) => {
      const roles = await store.listRoles();
      await report(roles, (layOut) => layOut(roles, ['role', 'permissions']));
    },
  );
}

function permissionCommand(context: CliContext, granted: boolean): Command {
  const [name, verb] = granted ? ['grant', 'Grant a permission to'] : ['revoke', 'Withdraw a permission from'];
  const description = `${verb} a role. It applies at once to every API key with the role.`;
  return new ReportingCommand(context, name, description, [`role ${name} member organisation_settings:write`])
    .argument('<role>', 'the role; `role list` lists them')
    .argument('<permission>', `the permission: ${declaredPermissions.join(', ')}`)
    .onStore(async ({ store, report }, roleName: string, permission: string) => {
      const before = await readRole(store, roleName);
      if (granted || !before.permissions.includes(permission))
        refuseUnlessKnown('permission', permission, declaredPermissions);
      await store.setPermission(roleName, permission, granted);
      const role = await readRole(store, roleName);
      await report(role, () => `Role ${roleName} ${granted ? 'now has' : 'no longer has'} ${permission}.`);
    });
}

async function readRole(store: Store, name: string): Promise<Role> {
  const roles = await store.listRoles();
  const found = roles.find(({ role }) => role === name);
  if (!found) throw new NotFoundError('role', name);
  return found;
}
