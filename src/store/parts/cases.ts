import type { CaseOverview, CaseToImport } from '../../domain/case.ts';
import { ConflictError } from '../errors.ts';
import { all, count, inParts, required, run, type Statements } from '../statements.ts';
import { countRows } from './cached-results.ts';
import { insertRows, type Part, type Selection } from './dialect.ts';
import { requireOrganisation } from './organisations.ts';

const rowsOfStatement = 500;

const keys = { case_record: 'case_id', case_file: 'file_id' } as const;

/** A row to insert, its identifier, and its place in the input. */
export interface Placed {
  readonly place: string;
  readonly id: string;
  readonly row: object;
}

export function caseStore(part: Part) {
  const { db, reads, writes } = part;

  function* ownerOf(caseId: string): Statements<string> {
    const found = db.selectFrom('case_record').select('organisation_id').where('case_id', '=', caseId);
    return (yield* required(found, 'case', caseId)).organisation_id;
  }

  return {
    ...reads({
      /** @throws {NotFoundError} */
      findOwnerOfCase: ownerOf,

      /** The newest first. */
      listCases: ({ organisationId, limit }: Selection): Statements<CaseOverview[]> =>
        all(
          db
            .selectFrom('case_record')
            .select(['case_id', 'organisation_id', 'label', 'locked_at', 'created_at'])
            .select((query) => {
              const files = query.selectFrom('case_file').whereRef('case_file.case_id', '=', 'case_record.case_id');
              return files.select(countRows).$asScalar().$notNull().as('total_files');
            })
            .$if(organisationId !== undefined, (query) => query.where('organisation_id', '=', String(organisationId)))
            .orderBy('created_at', 'desc')
            .orderBy('case_id')
            .limit(limit),
        ),
    }),

    ...writes({
      /**
       * Adds all cases or none. `onFile` is called after each file with the number added so far.
       * @throws {NotFoundError} if there is no such organisation; {ConflictError} with `place` if an identifier is taken
       */
      *importCases(organisationId: string, cases: Iterable<CaseToImport>, onFile?: (added: number) => void) {
        yield* requireOrganisation(db, organisationId);
        yield* importCases(part, organisationId, cases, onFile);
      },

      /** @throws {NotFoundError} if no organisation has such a case; {ConflictError} if it is already locked */
      *lockCase(caseId: string, at: string) {
        yield* ownerOf(caseId);
        const unlocked = db.updateTable('case_record').where('case_id', '=', caseId).where('locked_at', 'is', null);
        if ((yield* count(unlocked.set({ locked_at: at, updated_at: at }))) === 0)
          throw new ConflictError(`The case ${caseId} is already locked.`);
      },

      /** Unlocking a case that is not locked changes nothing. @throws {NotFoundError} */
      *unlockCase(caseId: string, at: string) {
        yield* ownerOf(caseId);
        const locked = db.updateTable('case_record').where('case_id', '=', caseId).where('locked_at', 'is not', null);
        yield* run(locked.set({ locked_at: null, updated_at: at }));
      },
    }),
  };
}

/** Adds cases, many rows at once. The first row whose identifier is taken, even by another one, is reported. */
function* importCases(
  part: Part,
  organisationId: string,
  cases: Iterable<CaseToImport>,
  onFile: (added: number) => void = () => undefined,
): Statements<void> {
  let added = 0;
  for (const rows of inParts(rowsOf(organisationId, cases), rowsOfStatement)) {
    for (const table of ['case_record', 'case_file'] as const) {
      const ofTable = rows.filter((row) => row.table === table);
      yield* insertPlaced(part, table, ofTable);
    }
    for (const { table } of rows) if (table === 'case_file') onFile((added += 1));
  }
}

type CaseRow = Placed & { table: keyof typeof keys };

/** The rows of cases, each case before its files. */
function* rowsOf(organisation_id: string, cases: Iterable<CaseToImport>): Iterable<CaseRow> {
  let caseIndex = 0;
  for (const { files, metadata, ...record } of cases) {
    const { case_id } = record;
    const row = { ...record, organisation_id, metadata: JSON.stringify(metadata) };
    yield { table: 'case_record', place: `[${caseIndex}].case_id`, id: case_id, row };
    let fileIndex = 0;
    for (const file of files) {
      const place = `[${caseIndex}].files[${fileIndex}].file_id`;
      yield { table: 'case_file', place, id: file.file_id, row: { ...file, case_id } };
      fileIndex += 1;
    }
    caseIndex += 1;
  }
}

/** Inserts rows. @throws {ConflictError} if an identifier is taken; its `place` names it */
export function* insertPlaced(part: Part, table: keyof typeof keys, placed: readonly Placed[]): Statements<void> {
  const rows = placed.map(({ row }) => row);
  const inserted = yield* insertRows(part, table, rows, keys[table]);
  for (const { id, place } of placed)
    if (!inserted.delete(id)) throw new ConflictError(`The identifier ${id} is taken.`, place);
}
