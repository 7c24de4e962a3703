import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let executed: string[];
let connection: Connection;
beforeEach(async () => {
  executed = [];
  const verbose = (statement: unknown) => executed.push(String(statement));
  connection = new Connection(new Sqlite(join(await makeTemporaryFolder(), 'a.sqlite'), { verbose }));
  connection.database.exec('CREATE TABLE noted (word TEXT UNIQUE)');
});
afterEach(() => {
  connection.database.close();
});

const note = (word: string) =>
  connection.write(() => connection.prepare('INSERT INTO noted VALUES (?)').run(word).changes);
const noted = () => connection.prepare<[], string>('SELECT word FROM noted').pluck().all();
const statuses = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.map(({ status }) => status);

const read = <T>(word: T) => connection.read(() => connection.prepare<[T], T>('SELECT ?').pluck().get(word));

test('a read that fails leaves those of the same snapshot', async () => {
  const fault = new Error('no such thing');
  const failing = () =>
    connection.read(() => {
      throw fault;
    });
  expect(await Promise.allSettled([read('a'), failing(), read('b')])).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'b' },
  ]);
});

test('a fault that ends the snapshot fails its reads, and the next ones have another', async () => {
  const diskFails = new Error('the disk fails');
  const failing = () =>
    connection.read(() => {
      connection.database.exec('ROLLBACK');
      throw diskFails;
    });
  const outcomes = await Promise.allSettled([read('a'), failing(), read('b')]);
  expect(statuses(outcomes)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await read('c')).toBe('c');
});

test('writes of one moment are committed once', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map(note))).toEqual([1, 1, 1]);
  expect(executed.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
});

test('a write that fails alone is done once', async () => {
  await note('a');
  executed = [];
  await expect(note('a')).rejects.toThrow('UNIQUE constraint failed');
  const begun = ['BEGIN IMMEDIATE', 'PRAGMA data_version'];
  expect(executed).toEqual([...begun, "INSERT INTO noted VALUES ('a')", 'ROLLBACK']);
});

test('of writes of one moment, those that fail are undone alone, and each is made twice at most', async () => {
  let begun = 0;
  const failing = (word: string) =>
    connection.write(() => {
      begun += 1;
      connection.prepare('INSERT INTO noted VALUES (?)').run(word);
      throw new Error('no');
    });
  const words = Array.from({ length: 50 }, (_, number) => `word ${number}`);
  const outcomes = await Promise.allSettled(words.flatMap((word) => [note(word), failing(`not ${word}`)]));
  expect(statuses(outcomes)).toEqual(words.flatMap(() => ['fulfilled', 'rejected']));
  expect(noted()).toEqual(words);
  expect(begun).toBe(51);
  expect(executed.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
});

test('a fault that ends the whole transaction fails each of its writes, and none is done outside of one', async () => {
  const cause = Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  const fault = connection.write(() => {
    connection.database.exec('ROLLBACK');
    throw cause;
  });
  const outcomes = await Promise.allSettled([note('a'), fault, note('b')]);
  expect(outcomes).toMatchObject(Array(3).fill({ status: 'rejected', reason: { cause } }));
  expect(noted()).toEqual([]);
  expect(await note('c')).toBe(1);
});

test('a file that could be opened for reading only is told as such before anything is to be written', () => {
  const changeNothing = 'UPDATE noted SET word = word WHERE false';
  connection.tryWrite(() => connection.database.exec(changeNothing));
  const database = new Sqlite(connection.database.name, { readonly: true });
  const readOnly = new Connection(database);
  const refusal = {
    name: 'StoreUnavailableError',
    cause: expect.objectContaining({ code: 'SQLITE_READONLY' }) as unknown,
  };
  expect(() => {
    readOnly.tryWrite(() => database.exec(changeNothing));
  }).toThrow(expect.objectContaining(refusal));
  database.close();
});

test('after the disk has failed a write, a page is written to find out whether it works again', async () => {
  const changeNothing = () => connection.database.exec('UPDATE noted SET word = word WHERE false');
  const failed = connection.write(() => {
    connection.database.exec('ROLLBACK');
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
  });
  await expect(failed).rejects.toThrow('disk I/O error');
  connection.tryWrite(changeNothing);
  expect(executed.slice(-2)).toEqual(['PRAGMA user_version = 0', 'COMMIT']);
  connection.tryWrite(changeNothing);
  expect(executed.slice(-2)).toEqual(['UPDATE noted SET word = word WHERE false', 'COMMIT']);
});
