import { type ApiDocument, documentOf } from '../../../contract/document/index.ts';

/** The document of an API with these paths. */
export function apiOf(paths: object, { title = 'T', components = {} }: { title?: string; components?: object } = {}) {
  const document: ApiDocument = documentOf({ openapi: '3.0.3', info: { title, version: '1' }, paths, components });
  return document;
}
