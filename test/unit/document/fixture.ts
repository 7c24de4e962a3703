import { parse } from 'yaml';
import { type ApiDocument, documentOf } from '../../../contract/document/index.ts';

/** The document of an API with these paths. */
export function apiOf(paths: object, { title = 'T', components = {} }: { title?: string; components?: object } = {}) {
  const document: ApiDocument = documentOf({ openapi: '3.0.3', info: { title, version: '1' }, paths, components });
  return document;
}

/** The document of an API whose paths, and components if it has some, are written as YAML. */
export function apiIn(yaml: string, title?: string): ApiDocument {
  const { components, ...paths } = parse(yaml) as { components?: object };
  return apiOf(paths, { ...(title !== undefined && { title }), ...(components && { components }) });
}
