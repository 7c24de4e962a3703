import { readFileSync } from 'node:fs';
import type { RawDocument } from '../../contract/document/raw.ts';
import { renderPage } from './page.ts';
import { writeDocs, type WrittenFile } from './write.ts';

/** Renders the page of the document as it stands, and writes it into a folder with all that goes with it. */
export function buildDocs(folder: string): Promise<WrittenFile[]> {
  const document = JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;
  return writeDocs(folder, renderPage({ document, changelog: readFileSync('CHANGELOG.md', 'utf8') }));
}
