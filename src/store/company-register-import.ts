/** The part of importing a register of companies that both engines share. */
import type { RegisterEntry } from './company-register-store.ts';
import { ConflictError, StoreUnavailableError } from './errors.ts';

/** @throws {ConflictError} unless an import in this state is in progress; one that was given up may be deleted already */
export function refuseIfGivenUp(state: string | undefined): void {
  if (state !== 'importing')
    throw new ConflictError('Another import has begun in the meantime, and took the place of this one.');
}

/** How a company whose number was added already is reported. */
export interface RepeatedEntry extends Pick<RegisterEntry, 'company_number' | 'line'> {
  file?: string | null | undefined;
}

/** The refusal of a company whose number was added already; its `place` names the line. */
export function repeatedNumber(entry: RepeatedEntry): ConflictError {
  const place = entry.file == null ? `line ${entry.line}` : `${entry.file} line ${entry.line}`;
  return new ConflictError(`The company number ${entry.company_number} is there twice.`, place);
}

/** Waits until what is outdated is deleted. What cannot be deleted now, the next import deletes. */
export async function orLater(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

/** A register that is read, as both engines name its edition. */
export interface ReadRegister {
  generation: number;
  imported_at: string;
}

/** The edition of a register, which no other import has. */
export function editionOf({ generation, imported_at: importedAt }: ReadRegister): string {
  return `import ${generation} of ${importedAt}`;
}
