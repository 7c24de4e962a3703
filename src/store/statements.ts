/**
 * Transactions that are written once for both engines: a generator yields each statement and gets its result. SQLite
 * runs all at once, so that no other transaction can run on the connection meanwhile; PostgreSQL waits for each.
 */
import type { Compilable, CompiledQuery } from 'kysely';
import { NotFoundError } from './errors.ts';

/** The result of a statement: the rows that it returned, and how many it returned or changed. */
export interface Result<Row = unknown> {
  readonly rows: Row[];
  readonly count: number;
}

/** The statements of a transaction, or of a part of one, and what they give. The first that fails ends them. */
export type Statements<T> = Generator<CompiledQuery, T, Result>;

/** Runs statements in one transaction. They may be repeated, after contention or if another transaction failed. */
export type Run = <T>(statements: () => Statements<T>) => Promise<T>;

export interface Access {
  readonly engine: 'sqlite' | 'postgres';
  /** On SQLite, the statements share a snapshot; on PostgreSQL, each has one of its own. */
  readonly read: Run;
  /** All or nothing. */
  readonly write: Run;
}

export function* run<Row>(query: Compilable<Row>): Statements<Result<Row>> {
  return (yield query.compile()) as Result<Row>;
}

export function* all<Row>(query: Compilable<Row>): Statements<Row[]> {
  return (yield* run(query)).rows;
}

export function* first<Row>(query: Compilable<Row>): Statements<Row | undefined> {
  return (yield* run(query)).rows[0];
}

/** The first row. @throws {NotFoundError} if there is none */
export function* required<Row>(query: Compilable<Row>, what: NotFoundError['what'], id: string): Statements<Row> {
  const found = yield* first(query);
  if (found === undefined) throw new NotFoundError(what, id);
  return found;
}

export function* count(query: Compilable): Statements<number> {
  return (yield* run(query)).count;
}

export function* inParts<Row>(rows: Iterable<Row>, rowsOfPart: number): Generator<Row[], void, undefined> {
  let part: Row[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < rowsOfPart) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Runs statements one after another, at once. */
export function runAtOnce<T>(statements: Statements<T>, execute: (query: CompiledQuery) => Result): T {
  let step = statements.next();
  while (step.done !== true) step = statements.next(execute(step.value));
  return step.value;
}

/** Runs statements one after another, and waits for each. */
export async function runInTurn<T>(
  statements: Statements<T>,
  execute: (query: CompiledQuery) => Promise<Result>,
): Promise<T> {
  let step = statements.next();
  while (step.done !== true) step = statements.next(await execute(step.value));
  return step.value;
}
