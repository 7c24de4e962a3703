import { isObject, shown } from './expect.ts';

/** The promised value of a field, as in the interface document; the OpenAPI document is checked elsewhere. */
type FieldTable = Record<string, readonly [promised: string, holds: (value: unknown) => boolean]>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isUuid = (value: unknown) => isText(value) && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
const isTime = (value: unknown) =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/i.test(value) && !Number.isNaN(Date.parse(value));
const orNull = (holds: (value: unknown) => boolean) => (value: unknown) => value === null || holds(value);
const states = ['waiting_for_file_analysis', 'file_analysis_complete'];

/** The fields of a case. */
export const caseFields: FieldTable = {
  case_id: ['a UUID', isUuid],
  label: ['a text or null', orNull(isText)],
  metadata: ['an object', isObject],
  is_locked: ['true or false', (value) => typeof value === 'boolean'],
  locked_at: ['a time or null', orNull(isTime)],
  file_analysis_status: [states.join(' or '), (value) => isText(value) && states.includes(value)],
  file_analysis_completed_at: ['a time or null', orNull(isTime)],
  created_at: ['a time', isTime],
  updated_at: ['a time', isTime],
  files: ['a list of objects', (value) => Array.isArray(value) && value.every(isObject)],
  total_files: ['a number', (value) => typeof value === 'number'],
};

/** The fields of a file. The interface document does not say whether one may be absent, or its time null. */
export const fileFields: FieldTable = {
  file_id: ['a UUID', isUuid],
  label: ['a text', isText],
  uploaded_at: ['a time', isTime],
  thumbnail_url: ['a text', isText],
  mime_type: ['a text', isText],
  analysis_status: ['a word', (value) => isText(value) && value !== ''],
  analysis_completed_at: ['a time or null', orNull(isTime)],
};

/** The fields of the table that the object violates. @param optional whether fields may be absent */
export function brokenFields(table: FieldTable, object: Record<string, unknown>, optional = false): string[] {
  return Object.entries(table)
    .filter(([name, [, holds]]) => !holds(object[name]) && !(optional && !(name in object)))
    .map(([name, [promised]]) => `${shown(object[name])} in ${name}, which must be ${promised}`);
}
