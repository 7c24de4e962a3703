import { NotFoundError } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { StorePart } from './store-part.ts';

export function roleStore(connection: Connection): StorePart<'listRoles' | 'setPermission'> {
  const list = connection.prepare<[], { role: string; permissions: string }>(`
    SELECT role, (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = r.role) AS permissions
    FROM role r ORDER BY role`);
  const exists = connection.prepare('SELECT 1 FROM role WHERE role = ?');
  const grant = connection.prepare('INSERT OR IGNORE INTO role_permission VALUES (?, ?)');
  const withdraw = connection.prepare('DELETE FROM role_permission WHERE role = ? AND permission = ?');

  return ({ read, write }) => ({
    listRoles: () =>
      read(() =>
        list.all().map(({ role, permissions }) => ({ role, permissions: JSON.parse(permissions) as string[] })),
      ),

    setPermission: (role, permission, granted) =>
      write(() => {
        if (!exists.get(role)) throw new NotFoundError('role', role);
        (granted ? grant : withdraw).run(role, permission);
      }),
  });
}
