import Sqlite from 'better-sqlite3';
import { Connection } from '../../src/store/sqlite/connection.js';
import { keepAlive } from '../../src/store/sqlite/keep-alive.js';

let executed: string[];
let connection: Connection;
beforeEach(() => {
  executed = [];
  const verbose = (statement: unknown) => executed.push(String(statement));
  connection = new Connection(keepAlive(new Sqlite(':memory:', { verbose })));
  connection.database.exec('CREATE TABLE noted (word TEXT UNIQUE)');
});
afterEach(() => connection.database.close());

const note = (word: string) =>
  connection.write(() => connection.prepare('INSERT INTO noted VALUES (?)').run(word).changes);
const noted = () => connection.prepare<[], string>('SELECT word FROM noted').pluck().all();
const statuses = (outcomes: PromiseSettledResult<unknown>[]) => outcomes.map(({ status }) => status);

test('writes of one moment are committed once', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map(note))).toEqual([1, 1, 1]);
  expect(executed.filter((statement) => statement === 'COMMIT')).toHaveLength(1);
});

test('a write that fails leaves those of the same commit', async () => {
  const outcomes = await Promise.allSettled(['a', 'a', 'b'].map(note));
  expect(statuses(outcomes)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(noted()).toEqual(['a', 'b']);
});

test('a fault that ends the whole transaction fails each of its writes, and none is done outside of one', async () => {
  const diskFull = new Error('the disk is full');
  const fault = connection.write(() => {
    connection.database.exec('ROLLBACK');
    throw diskFull;
  });
  const outcomes = await Promise.allSettled([note('a'), fault, note('b')]);
  expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: diskFull }));
  expect(noted()).toEqual([]);
  expect(await note('c')).toBe(1);
});
