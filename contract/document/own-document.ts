import { createRequire } from 'node:module';
import { documentOf } from './document-of.ts';
import type { ApiDocument } from './model.ts';

/** The bundled document of the Document Analysis API, generated/openapi.json, with its references. */
export const ownBundle = createRequire(import.meta.url)('#openapi.json') as object;

export const ownDocument: ApiDocument = documentOf(ownBundle);

/**
 * Whether a document is a version of the Document Analysis API's, to which this project's decisions apply. Any other
 * API is checked only against its own document.
 */
export function isOwnApi({ title }: Pick<ApiDocument, 'title'>): boolean {
  return title === ownDocument.title;
}
