import type { ApiDocument, MediaType } from '../../contract/document/model.ts';
import { hasOneWayFields } from '../../contract/document/schemas.ts';

/** The form in which the caller gives or gets a body, and its media types. */
export interface BodyForm {
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes';
  readonly mediaTypes: readonly string[];
}

/**
 * The form of a body; undefined if there is none. If there are several media types, the client uses JSON.
 */
export function bodyFormOf(content: Readonly<Record<string, MediaType>>): BodyForm | undefined {
  const mediaTypes = Object.keys(content);
  const json = mediaTypes.find((mediaType) => /^[^;]*[/+]json\b/i.test(mediaType));
  if (json !== undefined) return { as: 'json', mediaTypes: [json] };
  const [first] = mediaTypes;
  if (first === undefined) return undefined;
  if (/^application\/x-www-form-urlencoded\b/i.test(first)) return { as: 'form', mediaTypes: [first] };
  if (/^multipart\/form-data\b/i.test(first)) return { as: 'multipart', mediaTypes: [first] };
  const isText = Object.entries(content).every(
    ([mediaType, { schema }]) => /^text\//i.test(mediaType) && schema.type === 'string' && schema.format !== 'binary',
  );
  return { as: isText ? 'text' : 'bytes', mediaTypes };
}

/**
 * The type of a body by its schema: the schema's name, or its place among the document's types. A request has the
 * writable fields, a response the readable ones.
 * @param place of the request or response in types.ts
 */
export function schemaTypeOf(
  document: ApiDocument,
  content: Readonly<Record<string, MediaType>>,
  { mediaTypes: [mediaType = ''] }: BodyForm,
  place: string,
  direction: 'Readable' | 'Writable',
): string {
  const whole = `${place}['content']['${mediaType}']`;
  if (hasOneWayFields(content[mediaType]?.schema ?? {})) return `${direction}<${whole}>`;
  const named = Object.entries(document.schemas).find(
    ([name, schema]) => isExported(name) && schema === content[mediaType]?.schema,
  );
  return named ? `schemas.${named[0]}` : whole;
}

/**
 * Whether a schema has a type of its name: errors are classes of the client, and the name must be valid in TypeScript.
 */
export function isExported(schemaName: string): boolean {
  return schemaName !== 'Error' && /^[A-Za-z_]\w*$/.test(schemaName);
}
