import { readFileSync } from 'node:fs';
import { documentOf } from '../../contract/document/index.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { editionsOf } from './editions.ts';
import { renderPage } from './page.ts';
import { postmanFile } from './postman.ts';
import { releasedVersions } from './version-pages.ts';
import { renderSite } from './render-site.ts';
import { writeDocs, type DocsFile, type WrittenDocs } from './write.ts';

/** Renders the documentation of the current document, and writes it below a folder. Run it in the project's folder. */
export async function buildDocs(folder: string): Promise<WrittenDocs> {
  const raw = readDocument();
  const changelog = readFileSync(contractChangelogFile, 'utf8');
  const site = await renderSite({ document: documentOf(raw), versions: releasedVersions('.'), changelog, root: '.' });
  return writeDocs(folder, [...site, ...referenceFiles(), await postmanFile(raw)]);
}

/** The reference, which is a self-contained page, the document in its editions, and its collections. */
export function referenceFiles(): DocsFile[] {
  const document = readDocument();
  const changelog = readFileSync(contractChangelogFile, 'utf8');
  const { html, policy } = renderPage({ document, changelog });
  return [
    { path: 'reference.html', content: Buffer.from(html), policy },
    ...editionsOf(document),
    {
      path: 'journeys.arazzo.yaml',
      address: '/journeys.arazzo.yaml',
      content: readFileSync('openapi/journeys.arazzo.yaml'),
    },
  ];
}

function readDocument(): RawDocument {
  return JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;
}
