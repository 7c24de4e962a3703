/**
 * The rules for an imported case. They come from the OpenAPI document; this file only adds which fields may be omitted,
 * that unknown fields are refused, and which values this implementation supports.
 */
import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../api/document.ts';
import { type Case, type FileSummary, importableStatuses } from './case.ts';

/** An error in an input and its place, as in `[12].files[3].uploaded_at`. */
export interface Fault {
  place: string;
  message: string;
}

/** The errors of an import: their number, and the first of them. */
export class Faults {
  readonly shown: Fault[] = [];
  count = 0;
  readonly #mostShown: number;

  constructor(mostShown: number) {
    this.#mostShown = mostShown;
  }

  add(place: string, message: string): void {
    this.count += 1;
    if (this.shown.length < this.#mostShown) this.shown.push({ place, message });
  }
}

/** A case that conforms to the document, except for its files, which are not checked yet. */
export type ImportedCase = Partial<Omit<Case, 'files'>> & Pick<Case, 'created_at'> & { files: unknown[] };

/** A file that conforms to the document. */
export type ImportedFile = Omit<FileSummary, 'file_id' | 'analysis_completed_at'> &
  Partial<Pick<FileSummary, 'file_id' | 'analysis_completed_at'>>;

const schemas = openApiDocument.components?.schemas as unknown as Record<
  'Case' | 'FileSummary',
  { properties: Record<string, object> }
>;
const { properties: caseProperties } = schemas.Case;
const { properties: fileProperties } = schemas.FileSummary;

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
// RFC 9110, section 8.3.1.
ajv.addFormat('media-type', /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+([ \t]*;.*)?$/);
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);

const followsCaseRules = ajv.compile<ImportedCase>({
  ...schemas.Case,
  required: ['created_at', 'files'],
  properties: { ...caseProperties, files: { type: 'array' } },
  additionalProperties: false,
});
const followsFileRules = ajv.compile<ImportedFile>({
  ...schemas.FileSummary,
  required: ['label', 'uploaded_at', 'thumbnail_url', 'mime_type', 'analysis_status'],
  properties: {
    ...fileProperties,
    mime_type: { ...fileProperties['mime_type'], format: 'media-type' },
    analysis_status: { ...fileProperties['analysis_status'], enum: importableStatuses },
  },
  additionalProperties: false,
});

/** Returns the value as a case if it follows the rules, apart from its files; otherwise adds its faults. */
export function checkCase(value: unknown, place: string, faults: Faults): ImportedCase | undefined {
  return check(followsCaseRules, value, place, faults);
}

/** Returns the value as a file if it follows the rules; otherwise adds its faults. */
export function checkFile(value: unknown, place: string, faults: Faults): ImportedFile | undefined {
  return check(followsFileRules, value, place, faults);
}

function check<T>(follows: ValidateFunction<T>, value: unknown, place: string, faults: Faults): T | undefined {
  if (follows(value)) return value;
  for (const error of follows.errors as DefinedError[]) {
    const fault = faultOf(error, place);
    faults.add(fault.place, fault.message);
  }
  return undefined;
}

function faultOf(error: DefinedError, place: string): Fault {
  const at = place + error.instancePath.replace('/', '.');
  if (error.keyword === 'required') return { place: member(at, error.params.missingProperty), message: 'is required' };
  if (error.keyword === 'additionalProperties')
    return { place: member(at, error.params.additionalProperty), message: 'is not a known field' };
  if (error.keyword === 'enum')
    return { place: at, message: `must be one of ${error.params.allowedValues.join(', ')}` };
  return { place: at, message: String(error.message) };
}

function member(place: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
}
