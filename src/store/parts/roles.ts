import type { Role } from '../../domain/organisation.ts';
import { NotFoundError } from '../errors.ts';
import { all, first, run, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import type { Part } from './dialect.ts';

export function roleStore({ db, read, write }: Part): Pick<Store, 'listRoles' | 'setPermission'> {
  return {
    listRoles: () =>
      read(function* () {
        const roles = yield* all(db.selectFrom('role').select('role').orderBy('role'));
        const granted = yield* all(db.selectFrom('role_permission').selectAll().orderBy('permission'));
        return roles.map(({ role }): Role => {
          return {
            role,
            permissions: granted.filter((held) => held.role === role).map(({ permission }) => permission),
          };
        });
      }),

    setPermission: (role, permission, granted) =>
      write(function* () {
        yield* requireRole(db, role);
        if (granted)
          yield* run(
            db
              .insertInto('role_permission')
              .values({ role, permission })
              .onConflict((conflict) => conflict.doNothing()),
          );
        else yield* run(db.deleteFrom('role_permission').where('role', '=', role).where('permission', '=', permission));
      }),
  };
}

/** @throws {NotFoundError} if there is no such role */
export function* requireRole(db: Part['db'], role: string): Statements<void> {
  if (!(yield* first(db.selectFrom('role').select('role').where('role', '=', role))))
    throw new NotFoundError('role', role);
}
