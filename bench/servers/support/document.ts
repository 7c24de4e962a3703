import { readFileSync } from 'node:fs';

/** The project's document, as the server itself reads it. */
export function readDocument<Document>(): Document {
  return JSON.parse(text()) as Document;
}

/** The document without null extensions: fastify-openapi-glue treats an extension as a schema, and fails on null. */
export function readDocumentWithoutNullExtensions(): object {
  return JSON.parse(text(), (key, value: unknown) =>
    key.startsWith('x-') && value === null ? undefined : value,
  ) as object;
}

function text(): string {
  return readFileSync('generated/openapi.json', 'utf8');
}
