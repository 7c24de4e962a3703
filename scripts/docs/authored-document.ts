import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { redocly } from '../redocly.ts';
import type { RawDocument } from '../../contract/document/raw.ts';

/** The current openapi/openapi.yaml, if it can be read, with Redocly's findings, if there are any. */
export interface AuthoredDocument {
  readonly document?: RawDocument;
  readonly problems: string;
}

/** Reads and lints the authored document. */
export async function readAuthoredDocument(): Promise<AuthoredDocument> {
  try {
    const document = parse(await readFile('openapi/openapi.yaml', 'utf8'), { merge: true }) as RawDocument;
    return { document, problems: await redocly('lint', 'document-analysis') };
  } catch (error) {
    return { problems: `openapi/openapi.yaml cannot be read: ${(error as Error).message}` };
  }
}
