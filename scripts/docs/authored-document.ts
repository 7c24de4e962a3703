import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parse } from 'yaml';
import type { ApiDocument } from './api-document.ts';

const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

/** openapi/openapi.yaml as it stands now, if it can be read, and what Redocly has to say of it, if anything. */
export interface AuthoredDocument {
  readonly document?: ApiDocument;
  readonly problems: string;
}

/** Reads and lints the authored document. */
export async function readAuthoredDocument(): Promise<AuthoredDocument> {
  try {
    const document = parse(await readFile('openapi/openapi.yaml', 'utf8')) as ApiDocument;
    return { document, problems: await lint() };
  } catch (error) {
    return { problems: `openapi/openapi.yaml cannot be read: ${(error as Error).message}` };
  }
}

function lint(): Promise<string> {
  const environment = { ...process.env, NO_COLOR: '1', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [redocly, 'lint', 'document-analysis'],
      { env: environment },
      (error, stdout, stderr) => {
        resolve(error ? stdout.trim() || stderr.trim() : '');
      },
    );
  });
}
