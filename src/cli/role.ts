import { Command } from 'commander';
import { declaredPermissions } from '../domain/declared-rights.ts';
import type { Role } from '../domain/organisation.ts';
import { NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { printResult, table } from './output.ts';
import { withStore } from './with-store.ts';

/** The commands for roles and the permissions that they hold. */
export function roleCommand(context: CliContext): Command {
  return new Command('role')
    .description('roles and their permissions')
    .addCommand(listCommand(context))
    .addCommand(permissionCommand(context, true))
    .addCommand(permissionCommand(context, false));
}

function listCommand(context: CliContext): Command {
  return reportingCommand('list', 'List the roles and the permissions that each holds.', ['role list']).action(
    (options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const roles = await store.listRoles();
        await printResult(context, options, roles, () =>
          table(
            ['ROLE', 'PERMISSIONS'],
            roles.map(({ role, permissions }) => [role, permissions.join(', ') || null]),
          ),
        );
      }),
  );
}

function permissionCommand(context: CliContext, granted: boolean): Command {
  const [name, description] = granted
    ? ['grant', 'Give a role a permission. It counts at once for every API key of the role.']
    : ['revoke', 'Take a permission away from a role, at once for every API key of the role.'];
  return reportingCommand(name, description, [`role ${name} member organisation_settings:write`])
    .argument('<role>', 'one of those that `role list` shows')
    .argument('<permission>', `a permission that the API knows: ${declaredPermissions.join(', ')}`)
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
          () => `Role ${roleName} ${granted ? 'holds' : 'does not hold'} ${permission} now.`,
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
      `No operation knows the permission ${permission}. Those that exist: ${declaredPermissions.join(', ')}.`,
    );
}
