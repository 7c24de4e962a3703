import Sqlite, { type Statement } from 'better-sqlite3';
import {
  type CaseDialect,
  type CaseSource,
  caseSourceOn,
  fileColumns,
  type ReadRow,
} from '../case-texts/case-source.ts';
import { Connection } from './connection.ts';

export const caseDialect: CaseDialect = {
  filesAsJson: `group_concat(json_object(${fileColumns.replaceAll(/\w+/g, "'$&', $&")}))`,
  join: 'CROSS JOIN',
  caseId: '(SELECT case_id FROM case_record WHERE case_id = $1 AND organisation_id = $2)',
};

/** The embedded store's source for the texts of cases. It reads large cases over a separate connection. */
export function sqliteCaseSource(connection: Connection): CaseSource & { close(): void } {
  let second: { connection: Connection; read: ReadRow } | undefined;
  const openSecond = () => {
    const { database, file } = connection;
    const opened = new Connection(new Sqlite(database.name, { readonly: true, timeout: 0 }), file);
    file.requireInPlace();
    return { connection: opened, read: readerOn(opened) };
  };
  return {
    ...caseSourceOn(caseDialect, {
      read: readerOn(connection),
      inSnapshot: async (work) => {
        const large = await connection.read(() => (second ??= openSecond()));
        const { database } = large.connection;
        database.exec('BEGIN');
        try {
          return await work(large.read);
        } finally {
          // A disk error, or closing the store, also ends the transaction.
          if (database.inTransaction) database.exec('ROLLBACK');
        }
      },
    }),
    close: () => second?.connection.database.close(),
  };
}

function readerOn(connection: Connection): ReadRow {
  const prepared = new Map<string, Statement>();
  return <Row>(text: string, ...values: string[]) =>
    connection.read(() => {
      let statement = prepared.get(text);
      if (!statement) prepared.set(text, (statement = connection.prepare(text)));
      const numbered = Object.fromEntries(values.map((value, index) => [index + 1, value]));
      return statement.get(numbered) as Row | undefined;
    });
}
