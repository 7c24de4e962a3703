import { readFileSync } from 'node:fs';

/** The project's document, as the server itself reads it. */
export function readDocument<Document>(): Document {
  return JSON.parse(text()) as Document;
}

/** The same without extensions that are null: fastify-openapi-glue takes an extension for a schema, and fails at one. */
export function readDocumentWithoutNullExtensions(): object {
  return JSON.parse(text(), (key, value: unknown) =>
    key.startsWith('x-') && value === null ? undefined : value,
  ) as object;
}

function text(): string {
  return readFileSync('generated/openapi.json', 'utf8');
}
