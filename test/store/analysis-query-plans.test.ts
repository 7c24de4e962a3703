import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import Sqlite, { type Database } from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { withDataDir } from '../support/process.ts';
import {
  analyse,
  caseFixture,
  ended,
  failure,
  minute,
  newFile,
  noTime,
  sha256,
  take,
  taken,
} from './conformance/analysis-fixtures.ts';
import { recheckFixture } from './conformance/rechecks.ts';

/** Calls every method that a worker calls again and again. */
async function workThrough(store: Store): Promise<void> {
  const { add } = await caseFixture(store);
  await add(newFile('same'));
  const fileId = await analyse(store);
  await add(newFile('same'));
  await store.takeAnalysis({ at: taken, leaseMilliseconds: minute });
  await add(newFile('other'));
  const { lease } = await take(store);
  await store.renewLease(lease, { at: taken, leaseMilliseconds: minute });
  await store.releaseLease(lease);
  await store.failAnalysis((await take(store)).lease, { failure, at: ended });
  await store.countWaitingAnalyses(taken);
  await store.readAnalysis(fileId);
  await askAgain(store);
  await store.pruneCachedResults({ at: ended, askedSince: taken, limit: 10 });
  await store.listContents(7);
  await store.removeUnnamed([sha256('same')], () => undefined);
}

async function askAgain(store: Store): Promise<void> {
  const { analyse: analyseFile } = await recheckFixture(store);
  await analyseFile(newFile('provisional'));
  const again = async () => {
    const file = await store.takeRecheck({ at: ended, leaseMilliseconds: minute / 2, after: '' });
    if (file?.status !== 'taken') throw new Error('there is a file to ask about');
    return file.lease;
  };
  await store.releaseRecheck(await again(), ended);
  const lease = await again();
  await store.renewRecheck(lease, { at: ended, leaseMilliseconds: minute / 2 });
  await store.saveRecheck(lease, { laterEvidence: [], dueAfterMilliseconds: noTime, at: ended });
  await store.saveRecheck(await again(), { laterEvidence: [], dueAfterMilliseconds: undefined, at: ended });
}

const onAnalyses = /\b(analysis|evidence_recheck|cached_analysis_result)\b/;
const analysed = 3000;
const at = `'2026-01-01T00:00:00.000Z'`;

describe('among many analyses that have ended, SQLite', () => {
  const fill = (database: Database) =>
    database.exec(`
      INSERT INTO organisation (organisation_id, name, created_at) VALUES ('o', 'O', ${at});
      INSERT INTO case_record VALUES ('k', 'o', NULL, '{}', NULL, ${at}, ${at});
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${analysed})
      INSERT INTO case_file SELECT 'k', ${at}, 'f' || n, '', '', '', '', NULL FROM numbers;
      INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256, result)
        SELECT file_id, 'o', uploaded_at, randomblob(32), '{}' FROM case_file;
      INSERT INTO evidence_recheck (file_id, organisation_id, due_at) SELECT file_id, 'o', '2027' FROM case_file`);

  test.each([
    ['never gathered', ''],
    ['gathered', 'ANALYZE'],
  ])('finds each row by an index, with statistics that were %s', async (_, gathering) => {
    await withDataDir(async (dataDir) => {
      const path = join(dataDir, 'store.sqlite');
      await openSqliteStore(path).close();
      const beside = new Sqlite(path);
      fill(beside);
      beside.exec(gathering);
      const prepare = jest.spyOn(Sqlite.prototype, 'prepare');
      const store = openSqliteStore(path);
      await workThrough(store);
      const prepared = prepare.mock.calls.map(([source]) => source).filter((source) => onAnalyses.test(source));
      const statements = [...new Set(prepared)].filter((source) => !source.startsWith('insert'));
      prepare.mockRestore();
      expect(statements.length).toBeGreaterThanOrEqual(25);
      for (const source of statements) {
        const explained = beside.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`);
        const named = Object.fromEntries([...source.matchAll(/@(\w+)/g)].map(([, name]) => [String(name), null]));
        const positional = [...source.matchAll(/\?/g)].map(() => null);
        const plan = explained.all(...positional, ...(Object.keys(named).length > 0 ? [named] : []));
        const details = plan.map(({ detail }) => detail).join('\n');
        // Whatever others have waiting before it, the next file is the first of its range.
        if (/"organisation_id" > \? and/.test(source))
          expect(details).toMatch(
            /(analysis_to_take|evidence_recheck_in_turn) \(organisation_id>\? AND organisation_id<\?\)/,
          );
        // What has not ended is read in the order of taking; nothing else is read in a row.
        expect(
          details.replace(/SCAN \w+ USING (COVERING )?INDEX (analysis_to_take|evidence_recheck_\w+)/, ''),
        ).not.toMatch(/SCAN|TEMP B-TREE/);
      }
      beside.close();
      await store.close();
    });
  });
});

describeDatabase('among many analyses that have ended, PostgreSQL', (database) => {
  test('finds each row by an index', async () => {
    const url = await database.freshUrl();
    const store = await openPostgresStore({ url, poolSize: 2 }, 'uk');
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await workThrough(store);
    const statements = new Map(
      query.mock.calls
        .map(([first]) => first as unknown as { text: string; values?: unknown[] })
        .filter(({ values }) => Array.isArray(values))
        .map(({ text, values }) => [text, values ?? []]),
    );
    query.mockRestore();
    const beside = new pg.Client(url);
    await beside.connect();
    await beside.query(`
      INSERT INTO organisation SELECT 'o' || n, 'name ' || n, ${at} FROM generate_series(1, ${analysed}) n;
      INSERT INTO case_record SELECT 'k' || n, 'o' || n, NULL, '{}', NULL, ${at}, ${at} FROM generate_series(1, ${analysed}) n;
      INSERT INTO case_file SELECT 'k' || n, ${at}, 'f' || n, '', '', '', '', NULL FROM generate_series(1, ${analysed}) n;
      INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256, result)
        SELECT 'f' || n, 'o' || n, ${at}, sha256(n::text::bytea), '{}' FROM generate_series(1, ${analysed}) n;
      INSERT INTO organisation_feature SELECT 'o' || n, 'verification' FROM generate_series(1, ${analysed}) n;
      INSERT INTO evidence_recheck (file_id, organisation_id, due_at)
        SELECT 'f' || n, 'o' || n, '2027-01-01T00:00:00.000Z' FROM generate_series(1, ${analysed}) n;
      INSERT INTO cached_analysis_result SELECT 'o' || n, sha256(n::text::bytea), '{}', ${at}
        FROM generate_series(1, ${analysed}) n;
      ANALYZE`);
    const found = [...statements].filter(([text]) => onAnalyses.test(text));
    expect(found.length).toBeGreaterThan(20);
    for (const [text, values] of found) {
      const { rows } = await beside.query<Record<'QUERY PLAN', string>>(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect([text, plan]).toEqual([text, expect.not.stringContaining('Seq Scan')]);
      if (/LIMIT 1/.test(text))
        expect(plan).toMatch(/Index (Only )?Scan using (analysis_to_take|evidence_recheck_\w+)/);
      // Whatever others have waiting before it, the next file is the first of its range.
      if (/FROM analysis\b.*SKIP LOCKED/s.test(text))
        expect(plan).toMatch(/Index Cond: .*organisation_id.* > .*organisation_id.* < /);
    }
    await beside.end();
    await store.close();
  });
});
