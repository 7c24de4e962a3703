import { randomUUID } from 'node:crypto';
import { describeCase, type FileSummary, hasEnded, type StoredCase } from './case.ts';
import { checkCase, checkFile, type Fault, type ImportedCase } from './case-import-rules.ts';
import { normaliseTime } from './time.ts';

export type { Fault } from './case-import-rules.ts';

const metadataBytes = 64 * 1024;
const metadataLevels = 100;

/** The cases of an import, or everything that is wrong with it. */
export type CaseImport = { cases: StoredCase[] } | { faults: Fault[] };

/**
 * Reads the cases of an import: checks every rule, fills in what may be omitted, and brings identifiers and times into
 * the form in which they are stored.
 */
export function readCases(input: readonly unknown[]): CaseImport {
  const reader = new CaseReader();
  const cases = input.map((value, index) => reader.read(value, `[${index}]`));
  return reader.faults.length > 0 ? { faults: reader.faults } : { cases: cases.filter((read) => read !== undefined) };
}

class CaseReader {
  readonly faults: Fault[] = [];
  readonly #places = { case_id: new Map<string, string>(), file_id: new Map<string, string>() };

  read(value: unknown, place: string): StoredCase | undefined {
    const before = this.faults.length;
    const imported = checkCase(value, place, this.faults);
    const files = this.#files(value, place);
    if (!imported) return undefined;
    const createdAt = this.#time(imported.created_at, `${place}.created_at`);
    const stored: StoredCase = {
      case_id: this.#identifier('case_id', imported.case_id, place),
      label: imported.label ?? null,
      metadata: this.#metadata(imported.metadata ?? {}, `${place}.metadata`),
      locked_at: this.#optionalTime(imported.locked_at, `${place}.locked_at`),
      created_at: createdAt,
      updated_at: this.#optionalTime(imported.updated_at, `${place}.updated_at`) ?? createdAt,
      files,
    };
    if (this.faults.length === before) this.#checkDerived(imported, stored, place);
    return stored;
  }

  #files(value: unknown, place: string): FileSummary[] {
    const { files } = (value ?? {}) as { files?: unknown };
    if (!Array.isArray(files)) return [];
    return files
      .map((file, index) => this.#file(file, `${place}.files[${index}]`))
      .filter((read) => read !== undefined);
  }

  #file(value: unknown, place: string): FileSummary | undefined {
    const imported = checkFile(value, place, this.faults);
    if (!imported) return undefined;
    const file: FileSummary = {
      file_id: this.#identifier('file_id', imported.file_id, place),
      label: imported.label,
      uploaded_at: this.#time(imported.uploaded_at, `${place}.uploaded_at`),
      thumbnail_url: imported.thumbnail_url,
      mime_type: imported.mime_type,
      analysis_status: imported.analysis_status,
      analysis_completed_at: this.#optionalTime(imported.analysis_completed_at, `${place}.analysis_completed_at`),
    };
    const ended = hasEnded(file);
    if (ended !== (file.analysis_completed_at !== null))
      this.#fault(
        `${place}.analysis_completed_at`,
        `must ${ended ? 'be given' : 'be null'} when analysis_status is ${file.analysis_status}`,
      );
    return file;
  }

  #identifier(field: 'case_id' | 'file_id', given: string | undefined, place: string): string {
    const id = given?.toLowerCase() ?? randomUUID();
    const earlier = this.#places[field].get(id);
    if (earlier !== undefined) this.#fault(`${place}.${field}`, `is the same as ${earlier}`);
    else this.#places[field].set(id, `${place}.${field}`);
    return id;
  }

  #metadata(metadata: StoredCase['metadata'], place: string): StoredCase['metadata'] {
    if (isDeeperThan(metadata, metadataLevels))
      this.#fault(place, `must not be nested deeper than ${metadataLevels} levels`);
    else if (Buffer.byteLength(JSON.stringify(metadata)) > metadataBytes)
      this.#fault(place, 'must not be larger than 64 KiB of JSON');
    else if (holdsInexactNumber(metadata))
      this.#fault(place, 'must not hold a number that JSON in double precision changes; put it between quotes');
    return metadata;
  }

  #optionalTime(text: string | null | undefined, place: string): string | null {
    return text === null || text === undefined ? null : this.#time(text, place);
  }

  #time(text: string, place: string): string {
    const time = normaliseTime(text);
    if (time === undefined)
      this.#fault(place, 'must be a time like 2026-03-02T09:15:00Z, without leap second, of the years 0000 to 9999');
    return time ?? text;
  }

  #checkDerived(imported: ImportedCase, stored: StoredCase, place: string): void {
    const derived = describeCase(stored);
    const fields = ['is_locked', 'file_analysis_status', 'file_analysis_completed_at', 'total_files'] as const;
    for (const field of fields) {
      const given = imported[field];
      if (given === undefined || given === derived[field]) continue;
      if (typeof given === 'string' && normaliseTime(given) === derived[field]) continue;
      this.#fault(`${place}.${field}`, `must be ${JSON.stringify(derived[field])}, as follows from the other fields`);
    }
  }

  #fault(place: string, message: string): void {
    this.faults.push({ place, message });
  }
}

function holdsInexactNumber(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInexactNumber);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
