/**
 * Reads the cases of an import. The rules come from the OpenAPI document; this file only adds which fields may be omitted,
 * that unknown fields are refused, and which values this implementation supports.
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Document } from 'openapi-backend';
import {
  type Case,
  type CaseRecord,
  describeCaseWithout,
  type FileSummary,
  hasEnded,
  importableStatuses,
  noFiles,
  unknownMediaType,
  withFile,
} from './case.ts';
import { OperatorError } from './errors.ts';
import { normaliseTime } from './time.ts';

/** The bundled OpenAPI document, generated/openapi.json. Readers that change what they are given must take a copy. */
export const openApiDocument = createRequire(import.meta.url)('#openapi.json') as Document;

/** An error in an input and its place, as in `[12].files[3].uploaded_at`. */
export interface Fault {
  place: string;
  message: string;
}

export class Faults {
  readonly shown: Fault[] = [];
  count = 0;
  readonly #maxShown: number;

  constructor(maxShown: number) {
    this.#maxShown = maxShown;
  }

  add(place: string, message: string): void {
    this.count += 1;
    if (this.shown.length < this.#maxShown) this.shown.push({ place, message });
  }
}

const metadataLevels = 100;

/** A case that conforms to the document, except for its files, which are not checked yet. */
type ImportedCase = Partial<Omit<Case, 'files'>> & Pick<Case, 'created_at'> & { files: unknown[] };

type ImportedFile = Omit<FileSummary, 'file_id' | 'analysis_completed_at'> &
  Partial<Pick<FileSummary, 'file_id' | 'analysis_completed_at'>>;

let rules: ReturnType<typeof compileRules> | undefined;

/** Compiled when the first case is read, since other commands need no schema of a case. */
function rulesOfDocument() {
  const schemas = [schemaNamed('Case'), schemaNamed('FileSummary')] as const;
  return (rules ??= compileRules(...schemas));
}

function compileRules(cases: ObjectSchema, files: ObjectSchema) {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  // RFC 9110, section 8.3.1.
  ajv.addFormat('media-type', /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+([ \t]*;.*)?$/);
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return {
    followsCaseRules: ajv.compile<ImportedCase>({
      ...cases,
      required: ['created_at', 'files'],
      properties: { ...cases.properties, files: { type: 'array' } },
      additionalProperties: false,
    }),
    followsFileRules: ajv.compile<ImportedFile>({
      ...files,
      required: ['label', 'uploaded_at', 'thumbnail_url', 'mime_type', 'analysis_status'],
      properties: {
        ...files.properties,
        mime_type: { ...files.properties['mime_type'], format: 'media-type' },
        analysis_status: { ...files.properties['analysis_status'], enum: importableStatuses },
      },
      additionalProperties: false,
    }),
  };
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

function schemaNamed(name: string): ObjectSchema {
  const schema = openApiDocument.components?.schemas?.[name];
  if (!schema || !('properties' in schema))
    throw new OperatorError(
      `Cases cannot be imported: openapi/openapi.yaml has no components/schemas/${name} with properties, by which they ` +
        'are checked. Add it, run npm run generate, and build the program again.',
    );
  return { ...schema, properties: schema.properties };
}

const metadataBytes = 64 * 1024;

/** Receives the valid cases of an import, the files of each case before the case itself. */
export interface ImportTarget {
  /** An identifier given in the input may be a duplicate; a generated one is unique. */
  addFile(file: FileSummary, at: FilePlace, isIdGiven: boolean): void;
  addCase(record: CaseRecord, at: CasePlace, isIdGiven: boolean): void;
}

export interface CasePlace {
  readonly caseIndex: number;
}

export interface FilePlace extends CasePlace {
  readonly fileIndex: number;
}

function nameOfPlace(at: CasePlace | FilePlace): string {
  return 'fileIndex' in at ? `[${at.caseIndex}].files[${at.fileIndex}]` : `[${at.caseIndex}]`;
}

/** Reads an import part by part, all rules but unique identifiers checked. After a fault it passes nothing more on. */
export class CaseReader {
  readonly #target: ImportTarget;
  readonly #faults: Faults;
  #files = noFiles;
  #earliestUpload: { readonly time: string; readonly place: string } | undefined;
  #faultsBefore = 0;

  constructor(target: ImportTarget, faults: Faults) {
    this.#target = target;
    this.#faults = faults;
  }

  file(value: unknown, at: FilePlace): void {
    const place = nameOfPlace(at);
    const imported = check(rulesOfDocument().followsFileRules, value, place, this.#faults);
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
    const mustBe = `must ${ended ? 'be given' : 'be null'} when analysis_status is ${file.analysis_status}`;
    if (ended !== (file.analysis_completed_at !== null)) this.#faults.add(`${place}.analysis_completed_at`, mustBe);
    if (file.analysis_status === 'waiting_for_upload' && file.mime_type !== unknownMediaType)
      this.#faults.add(`${place}.mime_type`, `must be ${unknownMediaType} when analysis_status is waiting_for_upload`);
    this.#checkThumbnail(file, `${place}.thumbnail_url`);
    this.#files = withFile(this.#files, file);
    if (this.#faults.count === 0) this.#target.addFile(file, at, imported.file_id !== undefined);
  }

  /** Reads a case after its files; the value's `files` is an empty list, unless the input had something else there. */
  case(value: unknown, at: CasePlace): void {
    const place = nameOfPlace(at);
    const imported = check(rulesOfDocument().followsCaseRules, value, place, this.#faults);
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
    const mustBe = 'must be a time like 2026-03-02T09:15:00Z, without leap second, of the years 0000 to 9999';
    if (time === undefined) this.#faults.add(place, mustBe);
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
      const mustBe = `must be ${JSON.stringify(derived[field])}, as follows from the other fields`;
      this.#faults.add(`${place}.${field}`, mustBe);
    }
  }
}

function check<T>(follows: ValidateFunction<T>, value: unknown, place: string, faults: Faults): T | undefined {
  if (follows(value)) {
    checkTexts(value, place, faults);
    return value;
  }
  for (const error of follows.errors as DefinedError[]) faults.add(...faultOf(error, place));
  return undefined;
}

/** PostgreSQL refuses U+0000, and both engines replace half of a surrogate pair, which UTF-8 does not have. */
const unstorable = /[\0\p{Cs}]/u;
const unstorableFault = 'must not contain U+0000 or half of a surrogate pair';

/** Adds each text, and each name of a member, that a store cannot keep. Deeper metadata is another fault. */
function checkTexts(value: unknown, place: string, faults: Faults, levels = metadataLevels + 1): void {
  if (typeof value === 'string' && unstorable.test(value)) faults.add(place, unstorableFault);
  if (typeof value !== 'object' || value === null || levels < 0) return;
  for (const [name, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${place}[${name}]` : member(place, name);
    if (unstorable.test(name)) faults.add(at, `the name ${unstorableFault}`);
    checkTexts(inner, at, faults, levels - 1);
  }
}

function faultOf(error: DefinedError, place: string): [place: string, message: string] {
  const at = place + error.instancePath.replace('/', '.');
  if (error.keyword === 'required') return [member(at, error.params.missingProperty), 'is required'];
  if (error.keyword === 'additionalProperties')
    return [member(at, error.params.additionalProperty), 'is not a known field'];
  if (error.keyword === 'enum') return [at, `must be one of ${error.params.allowedValues.join(', ')}`];
  return [at, String(error.message)];
}

function member(place: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
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
