import { createRequire } from 'node:module';
import { documentOf } from './document-of.ts';
import type { ApiDocument } from './model.ts';

/** The bundled document of the Document Analysis API, generated/openapi.json, with its references. */
export const ownBundle = createRequire(import.meta.url)('#openapi.json') as object;

/** The document of the Document Analysis API. */
export const ownDocument: ApiDocument = documentOf(ownBundle);

/**
 * Whether a document is a version of the Document Analysis API's, for which the decisions of this project hold. Of any other
 * API, only what its own document promises can be checked.
 */
export function isOwnApi({ title }: Pick<ApiDocument, 'title'>): boolean {
  return title === ownDocument.title;
}
