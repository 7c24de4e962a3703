import { randomUUID } from 'node:crypto';
import {
  type CaseRecord,
  describeCaseWithout,
  type FileSummary,
  hasEnded,
  noFiles,
  unknownMediaType,
  withFile,
} from './case.ts';
import { checkCase, checkFile, type Faults, type ImportedCase, metadataLevels } from './case-import-rules.ts';
import { normaliseTime } from './time.ts';

export { type Fault, Faults, MissingSchemaError } from './case-import-rules.ts';

const metadataBytes = 64 * 1024;

/** Receives the valid cases of an import, the files of each case before the case itself. */
export interface ImportTarget {
  /** An identifier given in the input may be a duplicate; a generated one is unique. */
  addFile(file: FileSummary, at: FilePlace, isIdGiven: boolean): void;
  addCase(record: CaseRecord, at: CasePlace, isIdGiven: boolean): void;
}

/** The position of a case in its import. */
export interface CasePlace {
  readonly caseIndex: number;
}

/** The position of a file in its import. */
export interface FilePlace extends CasePlace {
  readonly fileIndex: number;
}

/** The name of a position in error messages. */
function nameOfPlace(at: CasePlace | FilePlace): string {
  return 'fileIndex' in at ? `[${at.caseIndex}].files[${at.fileIndex}]` : `[${at.caseIndex}]`;
}

/**
 * Reads the cases of an import part by part. It checks every rule except the uniqueness of identifiers, fills in
 * omitted fields, and normalises identifiers and times. After a fault it passes nothing more to the target.
 */
export class CaseReader {
  readonly #target: ImportTarget;
  readonly #faults: Faults;
  /** The files of the case that is being read. */
  #files = noFiles;
  #earliestUpload: { readonly time: string; readonly place: string } | undefined;
  #faultsBefore = 0;

  constructor(target: ImportTarget, faults: Faults) {
    this.#target = target;
    this.#faults = faults;
  }

  /** Reads a file of the next case. */
  file(value: unknown, at: FilePlace): void {
    const place = nameOfPlace(at);
    const imported = checkFile(value, place, this.#faults);
    if (!imported) return;
    const file: FileSummary = {
      file_id: imported.file_id?.toLowerCase() ?? randomUUID(),
      label: imported.label,
      uploaded_at: this.#time(imported.uploaded_at, `${place}.uploaded_at`),
      thumbnail_url: imported.thumbnail_url,
      mime_type: imported.mime_type,
      analysis_status: imported.analysis_status,
      analysis_completed_at: this.#optionalTime(imported.analysis_completed_at, `${place}.analysis_completed_at`),
    };
    this.#checkOrder('uploaded_at', file.uploaded_at, file.analysis_completed_at, `${place}.analysis_completed_at`);
    if (this.#earliestUpload === undefined || file.uploaded_at < this.#earliestUpload.time)
      this.#earliestUpload = { time: file.uploaded_at, place: `${place}.uploaded_at` };
    const ended = hasEnded(file);
    if (ended !== (file.analysis_completed_at !== null))
      this.#faults.add(
        `${place}.analysis_completed_at`,
        `must ${ended ? 'be given' : 'be null'} when analysis_status is ${file.analysis_status}`,
      );
    if (file.analysis_status === 'waiting_for_upload' && file.mime_type !== unknownMediaType)
      this.#faults.add(`${place}.mime_type`, `must be ${unknownMediaType} when analysis_status is waiting_for_upload`);
    this.#checkThumbnail(file, `${place}.thumbnail_url`);
    this.#files = withFile(this.#files, file);
    if (this.#faults.count === 0) this.#target.addFile(file, at, imported.file_id !== undefined);
  }

  /** Reads a case after its files; the value's `files` is an empty list, unless the input had something else there. */
  case(value: unknown, at: CasePlace): void {
    const place = nameOfPlace(at);
    const imported = checkCase(value, place, this.#faults);
    if (imported) this.#record(imported, at, place);
    this.#files = noFiles;
    this.#earliestUpload = undefined;
    this.#faultsBefore = this.#faults.count;
  }

  #record(imported: ImportedCase, at: CasePlace, place: string): void {
    const createdAt = this.#time(imported.created_at, `${place}.created_at`);
    const record: CaseRecord = {
      case_id: imported.case_id?.toLowerCase() ?? randomUUID(),
      label: imported.label ?? null,
      metadata: this.#metadata(imported.metadata ?? {}, `${place}.metadata`),
      locked_at: this.#optionalTime(imported.locked_at, `${place}.locked_at`),
      created_at: createdAt,
      updated_at: this.#optionalTime(imported.updated_at, `${place}.updated_at`) ?? createdAt,
    };
    if (this.#faults.count === this.#faultsBefore) this.#checkDerived(imported, record, place);
    this.#checkOrder('created_at', createdAt, record.updated_at, `${place}.updated_at`);
    this.#checkOrder('created_at', createdAt, record.locked_at, `${place}.locked_at`);
    if (this.#earliestUpload)
      this.#checkOrder('created_at of the case', createdAt, this.#earliestUpload.time, this.#earliestUpload.place);
    if (this.#faults.count === 0) this.#target.addCase(record, at, imported.case_id !== undefined);
  }

  /** The document promises an address that opens without a credential, and that nobody can guess. */
  #checkThumbnail({ thumbnail_url: address, file_id: id }: FileSummary, place: string): void {
    if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
      this.#faults.add(place, 'must be an http or https address');
    const plain = (text: string) => text.toLowerCase().replaceAll('-', '');
    if (plain(address).includes(plain(id)))
      this.#faults.add(place, 'must not contain the file_id, because nobody may be able to guess the address');
  }

  #metadata(metadata: CaseRecord['metadata'], place: string): CaseRecord['metadata'] {
    if (isDeeperThan(metadata, metadataLevels))
      this.#faults.add(place, `must not be nested deeper than ${metadataLevels} levels`);
    else if (Buffer.byteLength(JSON.stringify(metadata)) > metadataBytes)
      this.#faults.add(place, 'must not be larger than 64 KiB of JSON');
    else if (holdsInexactNumber(metadata))
      this.#faults.add(place, 'must not hold a number that JSON in double precision changes; put it between quotes');
    return metadata;
  }

  #optionalTime(text: string | null | undefined, place: string): string | null {
    return text === null || text === undefined ? null : this.#time(text, place);
  }

  #time(text: string, place: string): string {
    const time = normaliseTime(text);
    if (time === undefined)
      this.#faults.add(
        place,
        'must be a time like 2026-03-02T09:15:00Z, without leap second, of the years 0000 to 9999',
      );
    return time ?? text;
  }

  /** Decision D180. Normalised times sort as text; invalid times are faults already. */
  #checkOrder(name: string, earlier: string, later: string | null, place: string): void {
    if (later === null || later >= earlier) return;
    if ([earlier, later].every((text) => normaliseTime(text) === text))
      this.#faults.add(place, `must not be before ${name}`);
  }

  #checkDerived(imported: ImportedCase, record: CaseRecord, place: string): void {
    const derived = describeCaseWithout(record, this.#files);
    const fields = ['is_locked', 'file_analysis_status', 'file_analysis_completed_at', 'total_files'] as const;
    for (const field of fields) {
      const given = imported[field];
      if (given === undefined || given === derived[field]) continue;
      if (typeof given === 'string' && normaliseTime(given) === derived[field]) continue;
      this.#faults.add(
        `${place}.${field}`,
        `must be ${JSON.stringify(derived[field])}, as follows from the other fields`,
      );
    }
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
