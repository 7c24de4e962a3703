/**
 * Serves the documentation from the files that `npm run build` wrote, each compressed beforehand: nothing is held in
 * memory, and nothing is computed for a request. What goes with a file (its type, ETag and content security policy) stands
 * in docs.json beside it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';
import { securityHeaders } from '../send-json.ts';

/** docs.json: by path, the file that is served there and its headers. Beside each file stand `.br` and `.gz` of it. */
export type DocsManifest = Readonly<Record<string, { file: string; headers: Readonly<Record<string, string>> }>>;

/** Content codings, the best first, with the suffix of a file that is compressed so. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The folder of this package's own documentation, or nothing if it was not built. */
export function builtDocsFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('#docs.json'));
  } catch {
    return undefined;
  }
}

/**
 * Serves the paths of the documentation in a folder; every other request passes.
 * @throws {Error} if the folder holds no documentation
 */
export function serveDocs(folder: string): RequestHandler {
  const manifest = JSON.parse(readFileSync(join(folder, 'docs.json'), 'utf8')) as DocsManifest;
  const pages = new Map(Object.entries(manifest));
  return (request, response, next) => {
    const page = pages.get(request.path);
    if (!page) {
      next();
      return;
    }
    if (request.method !== 'GET') {
      next(new Refusal('request.method-not-allowed', { headers: { Allow: 'GET, HEAD' } }));
      return;
    }
    const [coding, suffix] = codings.find(([name]) => request.acceptsEncodings(name)) ?? [];
    const headers = { ...securityHeaders, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...page.headers };
    response.setHeaders(new Map(Object.entries(coding ? { ...headers, 'Content-Encoding': coding } : headers)));
    response.sendFile(page.file + (suffix ?? ''), {
      root: folder,
      acceptRanges: false,
      cacheControl: false,
      lastModified: false,
    });
  };
}
