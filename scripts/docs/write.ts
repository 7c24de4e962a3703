import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { DocsManifest } from '../../src/api/steps/serve-docs.ts';

const sources = ['generated/openapi.json', 'openapi/openapi.yaml'];
const compressions = {
  // Quality 11 takes thirteen times as long, two seconds, for 8 % less.
  br: promisify((content: Buffer, done: (error: Error | null, result: Buffer) => void) => {
    brotliCompress(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, done);
  }),
  gz: promisify((content: Buffer, done: (error: Error | null, result: Buffer) => void) => {
    gzip(content, { level: 9 }, done);
  }),
};

/** A file that was written, with its sizes in bytes. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly brotliBytes: number;
}

/** The page, and its content security policy. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/**
 * Writes into a folder the page, the document in both forms, each compressed too, and docs.json, by which the server serves
 * them. Run it in the folder of the project.
 */
export async function writeDocs(folder: string, { html, policy }: Page): Promise<WrittenFile[]> {
  const [json = '', yaml = ''] = sources.map((name) => readFileSync(name, 'utf8'));
  const pagePolicy = { 'Content-Security-Policy': `${policy}; frame-ancestors 'none'` };
  mkdirSync(folder, { recursive: true });
  const files = [
    { path: '/docs', file: 'index.html', type: 'text/html; charset=utf-8', text: html, headers: pagePolicy },
    { path: '/openapi.json', file: 'openapi.json', type: 'application/json', text: json },
    { path: '/openapi.yaml', file: 'openapi.yaml', type: 'application/yaml', text: yaml },
  ];
  const manifest: Record<string, DocsManifest[string]> = {};
  for (const { path, file, type, text, headers } of files)
    manifest[path] = { file, headers: { 'Content-Type': type, ETag: etagOf(text), ...headers } };
  const written = await Promise.all(files.map(({ file, text }) => write(join(folder, file), Buffer.from(text))));
  writeFileSync(join(folder, 'docs.json'), JSON.stringify(manifest, null, 2));
  return written;
}

async function write(path: string, content: Buffer): Promise<WrittenFile> {
  const [br, gz] = await Promise.all([compressions.br(content), compressions.gz(content)]);
  writeFileSync(path, content);
  writeFileSync(`${path}.br`, br);
  writeFileSync(`${path}.gz`, gz);
  return { path, bytes: content.length, brotliBytes: br.length };
}

/** A weak one: it stands for the content, however that is compressed. Files from npm all have one date, so no date serves. */
function etagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url')}"`;
}
