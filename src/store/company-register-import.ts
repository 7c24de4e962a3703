/** Shared by the imports of company registers on both engines. */
import type { RegisterEntry } from './company-register-store.ts';
import { ConflictError, StoreUnavailableError } from './errors.ts';

/** @throws {ConflictError} unless an import in this state is in progress; an abandoned one may already be deleted */
export function refuseIfGivenUp(state: string | undefined): void {
  if (state !== 'importing')
    throw new ConflictError('Another import of this register has started and replaced this one.');
}

/** A company whose number was already added. */
export interface RepeatedEntry extends Pick<RegisterEntry, 'company_number' | 'line'> {
  file?: string | null | undefined;
}

/** The error for a company whose number was already added; `place` names the line. */
export function repeatedNumber(entry: RepeatedEntry): ConflictError {
  const place = entry.file == null ? `line ${entry.line}` : `${entry.file} line ${entry.line}`;
  return new ConflictError(`The company number ${entry.company_number} appears twice.`, place);
}

/** Waits until outdated imports are deleted. If that fails, the next import deletes them. */
export async function orLater(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

/** A current register, with what identifies its edition. */
export interface ReadRegister {
  generation: number;
  imported_at: string;
}

/** The edition of a register, unique to its import. */
export function editionOf({ generation, imported_at: importedAt }: ReadRegister): string {
  return `import ${generation} of ${importedAt}`;
}
