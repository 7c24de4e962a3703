import type { Role } from '../../domain/organisation.ts';
import { NotFoundError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { Connection, Query } from './connection.ts';
import { prepared } from './statement.ts';

const list = prepared(`
  SELECT role,
    ARRAY(SELECT permission FROM role_permission p WHERE p.role = r.role ORDER BY permission)::text[] AS permissions
  FROM role r ORDER BY role`);
const exists = prepared('SELECT FROM role WHERE role = $1');
const grant = prepared('INSERT INTO role_permission (role, permission) VALUES ($1, $2) ON CONFLICT DO NOTHING');
const withdraw = prepared('DELETE FROM role_permission WHERE role = $1 AND permission = $2');

export function roleStore(connection: Connection): Pick<Store, 'listRoles' | 'setPermission'> {
  return {
    listRoles: async () => (await connection.query<Role>(list)).rows,

    setPermission: (role, permission, granted) =>
      connection.write(async (query) => {
        await requireRole(query, role);
        await query(granted ? grant : withdraw, [role, permission]);
      }),
  };
}

/** @throws {NotFoundError} if there is no such role */
export async function requireRole(query: Query, role: string): Promise<void> {
  const { rowCount } = await query(exists, [role]);
  if (rowCount === 0) throw new NotFoundError('role', role);
}
