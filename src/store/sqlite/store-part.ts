import type { Store } from '../store.ts';
import type { Connection } from './connection.ts';

/** How a part of the store reads and writes. */
export type Access = Pick<Connection, 'read' | 'write'>;

/** Access without authorisation. */
export function accessOf(connection: Connection): Access {
  return { read: (work) => connection.read(work), write: (work) => connection.write(work) };
}

/** Some methods of the store. Their statements are compiled once; each access then binds how they read and write. */
export type StorePart<Name extends keyof Store> = (access: Access) => Pick<Store, Name>;
