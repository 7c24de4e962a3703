import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding, DocsManifest, ServedFile } from '../../src/api/steps/serve-docs.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pagefind': 'application/octet-stream',
  '.pf_fragment': 'application/octet-stream',
  '.pf_index': 'application/octet-stream',
  '.pf_meta': 'application/octet-stream',
  '.py': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
};

/** The media type of a published file, by its extension. Throws if the extension is unknown. */
export function mediaTypeOf(path: string): string {
  const type = mediaTypes[extname(path)];
  if (type === undefined) throw new Error(`${path} cannot be served: scripts/docs/write.ts has no type for it.`);
  return type;
}

/** The type of the search index, which is compressed already. */
const compressedType = 'application/octet-stream';

const [brotliCompressed, gzipped] = [promisify(brotliCompress), promisify(gzip)];
// Quality 11 takes thirteen times as long, two seconds, and saves only 8 %.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

export interface DocsFile {
  /** Its path in the folder, such as `guides/client.html`. */
  readonly path: string;
  readonly content: Buffer;
  /** An additional path on the server, such as `/openapi.yaml`. */
  readonly address?: string;
  readonly policy?: string;
}

/**
 * Writes the documentation below a folder: `docs/` for any host of static files, and `served-docs/` for the server,
 * with all files compressed in `docs.bin`, and the place and headers of each in `docs.json`. Returns their sizes.
 */
export async function writeDocs(folder: string, files: readonly DocsFile[]) {
  const [site, served] = [join(folder, 'docs'), join(folder, 'served-docs')];
  for (const each of [site, served]) rmSync(each, { recursive: true, force: true });
  for (const { path, content } of files) {
    mkdirSync(dirname(join(site, path)), { recursive: true });
    writeFileSync(join(site, path), content);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const place = (content: Buffer): [number, number] => {
    chunks.push(content);
    length += content.length;
    return [length - content.length, content.length];
  };
  const manifest: Record<string, ServedFile> = {};
  const compressed = await Promise.all(files.map(async (file) => ({ file, codings: await codingsOf(file) })));
  for (const { file, codings } of compressed) {
    const places = Object.entries(codings).map(([coding, content]) => [coding, place(content)] as const);
    const entry = { headers: headersOf(file), bytes: file.content.length, places: Object.fromEntries(places) };
    for (const address of addressesOf(file)) manifest[address] = entry;
  }
  mkdirSync(served, { recursive: true });
  writeFileSync(join(served, 'docs.bin'), Buffer.concat(chunks));
  // Written last and atomically: without it there is no documentation to serve.
  writeFileSync(join(served, 'docs.json.new'), JSON.stringify(manifest satisfies DocsManifest));
  renameSync(join(served, 'docs.json.new'), join(served, 'docs.json'));
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  return { files: files.length, bytes, servedBytes: length };
}

function addressesOf({ path, address }: DocsFile): string[] {
  return [`/docs/${path}`, ...(path === 'index.html' ? ['/docs/'] : []), ...(address === undefined ? [] : [address])];
}

async function codingsOf({ path, content }: DocsFile): Promise<Partial<Record<Coding, Buffer>>> {
  if (mediaTypeOf(path) === compressedType) return { identity: content };
  const [br, gz] = await Promise.all([brotliCompressed(content, brotliOptions), gzipped(content, { level: 9 })]);
  return { br, gzip: gz };
}

/** The ETag is weak, because it identifies the content however it is compressed. */
function headersOf({ path, content, policy }: DocsFile): Record<string, string> {
  const type = mediaTypeOf(path);
  const hash = createHash('sha256').update(content).digest('base64url');
  return {
    'Content-Type': type,
    ETag: `W/"${hash}"`,
    // The names of these files contain a hash of their content.
    'Cache-Control': path.startsWith('_astro/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(policy !== undefined && { 'Content-Security-Policy': `${policy}; frame-ancestors 'none'` }),
    ...(type === 'image/svg+xml' && {
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    }),
  };
}
