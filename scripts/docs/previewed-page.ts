import { readFileSync } from 'node:fs';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { readAuthoredDocument } from './authored-document.ts';
import { renderPage } from './page.ts';

/** The page of the current sources. */
export interface PreviewedPage {
  readonly html: string;
  /** The document that it shows. */
  readonly document: RawDocument;
  /** The faults of the sources, which the page shows too. */
  readonly problems: string;
}

/** Renders the authored document, or the last one that could be rendered, with the current faults. */
export async function previewedPage(last: RawDocument): Promise<PreviewedPage> {
  const { document = last, problems: documentProblems } = await readAuthoredDocument();
  const { changelog, problems: changelogProblems } = readChangelog();
  const problems = [documentProblems, changelogProblems].filter((text) => text !== '').join('\n\n');
  const pageOf = (shown: RawDocument, found: string) => ({
    html: renderPage({ document: shown, changelog }, { problems: found }).html,
    document: shown,
    problems: found,
  });
  try {
    return pageOf(document, problems);
  } catch (error) {
    return pageOf(last, `No page can be made of openapi/openapi.yaml: ${String(error)}\n\n${problems}`);
  }
}

function readChangelog(): { changelog: string; problems: string } {
  try {
    return { changelog: readFileSync(contractChangelogFile, 'utf8'), problems: '' };
  } catch (error) {
    return { changelog: '', problems: `${contractChangelogFile} cannot be read: ${(error as Error).message}` };
  }
}
