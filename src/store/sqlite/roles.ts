import { NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { Connection } from './connection.ts';

export function roleStore(connection: Connection): Pick<Store, 'listRoles' | 'setPermission'> {
  const list = connection.prepare<[], { role: string; permissions: string }>(`
    SELECT role, (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = r.role) AS permissions
    FROM role r ORDER BY role`);
  const exists = connection.prepare('SELECT 1 FROM role WHERE role = ?');
  const grant = connection.prepare('INSERT OR IGNORE INTO role_permission VALUES (?, ?)');
  const withdraw = connection.prepare('DELETE FROM role_permission WHERE role = ? AND permission = ?');

  return {
    listRoles: () =>
      connection.read(() =>
        list.all().map(({ role, permissions }) => ({ role, permissions: JSON.parse(permissions) as string[] })),
      ),

    setPermission: (role, permission, granted) =>
      connection.write(() => {
        if (!exists.get(role)) throw new NotFoundError('role', role);
        (granted ? grant : withdraw).run(role, permission);
      }),
  };
}
