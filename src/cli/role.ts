import { Command } from 'commander';
import { declaredPermissions } from '../domain/declared-rights.ts';
import type { Role } from '../domain/organisation.ts';
import { NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError, printable } from './errors.ts';
import { printResult } from './output.ts';
import { withStore } from './with-store.ts';

/** The commands for roles and their permissions. */
export function roleCommand(context: CliContext): Command {
  return new Command('role')
    .description('Manage the permissions of roles')
    .addCommand(listCommand(context))
    .addCommand(permissionCommand(context, true))
    .addCommand(permissionCommand(context, false));
}

function listCommand(context: CliContext): Command {
  return reportingCommand('list', 'List the roles and their permissions.', ['role list']).action(
    (options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const roles = await store.listRoles();
        await printResult(context, options, roles, (layOut) =>
          layOut(
            ['ROLE', 'PERMISSIONS'],
            roles.map(({ role, permissions }) => [role, permissions.join(', ') || null]),
          ),
        );
      }),
  );
}

function permissionCommand(context: CliContext, granted: boolean): Command {
  const [name, description] = granted
    ? ['grant', 'Grant a permission to a role. It applies at once to every API key with the role.']
    : ['revoke', 'Withdraw a permission from a role. It applies at once to every API key with the role.'];
  return reportingCommand(name, description, [`role ${name} member organisation_settings:write`])
    .argument('<role>', 'the role; `role list` lists them')
    .argument('<permission>', `the permission: ${declaredPermissions.join(', ')}`)
    .action((roleName: string, permission: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const before = await readRole(store, roleName);
        if (granted || !before.permissions.includes(permission)) refuseUnlessDeclared(permission);
        await store.setPermission(roleName, permission, granted);
        const role = await readRole(store, roleName);
        await printResult(
          context,
          options,
          role,
          () => `Role ${roleName} ${granted ? 'now has' : 'no longer has'} ${permission}.`,
        );
      }),
    );
}

async function readRole(store: Store, name: string): Promise<Role> {
  const roles = await store.listRoles();
  const found = roles.find(({ role }) => role === name);
  if (!found) throw new NotFoundError('role', name);
  return found;
}

function refuseUnlessDeclared(permission: string): void {
  if (!declaredPermissions.includes(permission))
    throw new CliError(
      `Unknown permission ${printable(permission)}. Known permissions: ${declaredPermissions.join(', ')}.`,
    );
}
