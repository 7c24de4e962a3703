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

/** The maximum depth of metadata. */
export const metadataLevels = 100;

/** A case that conforms to the document, except for its files, which are not checked yet. */
export type ImportedCase = Partial<Omit<Case, 'files'>> & Pick<Case, 'created_at'> & { files: unknown[] };

/** A file that conforms to the document. */
export type ImportedFile = Omit<FileSummary, 'file_id' | 'analysis_completed_at'> &
  Partial<Pick<FileSummary, 'file_id' | 'analysis_completed_at'>>;

let rules: ReturnType<typeof compileRules> | undefined;

/** Compiled when the first case is read, since other commands need no schema of a case. */
function rulesOfDocument() {
  const [cases, files] = [schemaNamed('Case'), schemaNamed('FileSummary')];
  return (rules ??= compileRules(cases, files));
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
  if (!schema || !('properties' in schema)) throw new MissingSchemaError(name);
  return { ...schema, properties: schema.properties };
}

/** The document that the program was built from does not say what a case is. */
export class MissingSchemaError extends Error {
  override readonly name = 'MissingSchemaError';

  constructor(schema: string) {
    super(
      `Cases cannot be imported: openapi/openapi.yaml has no components/schemas/${schema} with properties, by which they ` +
        'are checked. Add it, run npm run generate, and build the program again.',
    );
  }
}

/** Returns the value as a case if it follows the rules, apart from its files; otherwise adds its faults. */
export function checkCase(value: unknown, place: string, faults: Faults): ImportedCase | undefined {
  return check(rulesOfDocument().followsCaseRules, value, place, faults);
}

/** Returns the value as a file if it follows the rules; otherwise adds its faults. */
export function checkFile(value: unknown, place: string, faults: Faults): ImportedFile | undefined {
  return check(rulesOfDocument().followsFileRules, value, place, faults);
}

function check<T>(follows: ValidateFunction<T>, value: unknown, place: string, faults: Faults): T | undefined {
  if (follows(value)) {
    checkTexts(value, place, faults);
    return value;
  }
  for (const error of follows.errors as DefinedError[]) {
    const fault = faultOf(error, place);
    faults.add(fault.place, fault.message);
  }
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
