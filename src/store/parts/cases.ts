import { sql } from 'kysely';
import type { CaseOverview, CaseToImport } from '../../domain/case.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { all, count, first, run, type Statements } from '../statements.ts';
import { insertRows, type Part, type Selection } from './dialect.ts';
import { requireOrganisation } from './organisations.ts';

const rowsOfStatement = 500;

/** A row to insert, its identifier, and its place in the input. */
export interface Placed {
  readonly place: string;
  readonly id: string;
  readonly row: object;
}

export function caseStore(part: Part) {
  const { db, reads, writes } = part;

  function* ownerOf(caseId: string): Statements<string> {
    const found = yield* first(db.selectFrom('case_record').select('organisation_id').where('case_id', '=', caseId));
    if (!found) throw new NotFoundError('case', caseId);
    return found.organisation_id;
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
            .select((query) =>
              query
                .selectFrom('case_file')
                .select(sql<number>`CAST(count(*) AS integer)`.as('total'))
                .whereRef('case_file.case_id', '=', 'case_record.case_id')
                .$asScalar()
                .$notNull()
                .as('total_files'),
            )
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
  let records: Placed[] = [];
  let files: Placed[] = [];
  let added = 0;
  function* flush(): Statements<void> {
    yield* insertPlaced(part, 'case_record', 'case_id', records);
    yield* insertPlaced(part, 'case_file', 'file_id', files);
    files.forEach(() => {
      onFile((added += 1));
    });
    [records, files] = [[], []];
  }
  let caseIndex = 0;
  for (const { files: filesOfCase, metadata, ...record } of cases) {
    const row = { ...record, organisation_id: organisationId, metadata: JSON.stringify(metadata) };
    records.push({ place: `[${caseIndex}].case_id`, id: record.case_id, row });
    let fileIndex = 0;
    for (const file of filesOfCase) {
      const place = `[${caseIndex}].files[${fileIndex}].file_id`;
      files.push({ place, id: file.file_id, row: { ...file, case_id: record.case_id } });
      if (files.length === rowsOfStatement) yield* flush();
      fileIndex += 1;
    }
    if (records.length === rowsOfStatement) yield* flush();
    caseIndex += 1;
  }
  yield* flush();
}

/** Inserts rows. @throws {ConflictError} if an identifier is taken; its `place` names it */
export function* insertPlaced(
  part: Part,
  table: 'case_record' | 'case_file',
  key: string,
  placed: readonly Placed[],
): Statements<void> {
  const rows = placed.map(({ row }) => row);
  const inserted = yield* insertRows(part, table, rows, key);
  for (const { id, place } of placed)
    if (!inserted.delete(id)) throw new ConflictError(`The identifier ${id} is taken.`, place);
}
