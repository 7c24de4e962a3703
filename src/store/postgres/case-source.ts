import { type CaseDialect, type CaseSource, caseSourceOn, type ReadRow } from '../case-texts/case-source.ts';
import { type Connection, canHold, type Query } from './connection.ts';

const dialect: CaseDialect = {
  filesAsJson: "string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id)",
  join: 'CROSS JOIN LATERAL',
  caseId: 'c.case_id',
};

/** Without table statistics, PostgreSQL would expect few files, and sort all remaining files for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export function postgresCaseSource(connection: Connection): CaseSource {
  const readerOn =
    (query: Query): ReadRow =>
    async <Row extends object>(statement: string, ...values: string[]) =>
      values.every(canHold) ? (await query<Row>(statement, values)).rows[0] : undefined;
  return caseSourceOn(dialect, {
    read: readerOn(connection.query),
    inSnapshot: (work) =>
      connection.readSnapshot(async (query) => {
        await query(alongTheKey);
        return work(readerOn(query));
      }),
  });
}
