/** Shared by the imports of registers: taking turns with other writers, and deleting outdated imports. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';

/** How many rows one transaction writes. */
export const rowsOfPart = 5000;

/** Deletes the data of outdated imports, in short transactions. */
export async function deleteOutdated(connection: Connection): Promise<void> {
  const outdated = connection
    .prepare<[], number>("SELECT generation FROM company_register WHERE state = 'outdated' LIMIT 1")
    .pluck();
  const deletions = [
    ['registry_company', 'company_number'],
    ['registry_business_number', 'business_number'],
  ].map(([table, column]) =>
    connection.prepare<[number, number]>(`
      DELETE FROM ${table} WHERE generation = ? AND ${column} <= (SELECT max(${column}) FROM (
        SELECT ${column} FROM ${table} WHERE generation = ? ORDER BY ${column} LIMIT ${rowsOfPart}))`),
  );
  const deleteRegister = connection.prepare<[number]>('DELETE FROM company_register WHERE generation = ?');
  const deleteSome = (): boolean => {
    const generation = outdated.get();
    if (generation === undefined) return false;
    if (deletions.every((deletion) => deletion.run(generation, generation).changes === 0))
      deleteRegister.run(generation);
    return true;
  };
  while (await inTurns(connection, deleteSome));
}

/** Writes a part, and then releases the lock for as long as it held it. */
export async function inTurns<T>(connection: Connection, work: () => T): Promise<T> {
  let lockedAt = 0;
  const result = await connection.write(() => {
    lockedAt = performance.now();
    return work();
  });
  await sleep(Math.max(5, performance.now() - lockedAt));
  return result;
}
