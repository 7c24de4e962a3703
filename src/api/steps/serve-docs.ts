/**
 * Serves the documentation that `npm run build` wrote. It is held in memory as the build compressed it, so that no request
 * waits for the file system. What goes with a file (its type, ETag and content security policy) stands in docs.json beside
 * it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
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
  const pages = new Map(Object.entries(manifest).map(([path, page]) => [path, { ...page, contents: read(page.file) }]));
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
    const [coding = 'identity'] = codings.find(([name]) => request.acceptsEncodings(name)) ?? [];
    const headers = { ...securityHeaders, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...page.headers };
    response.setHeaders(new Map(Object.entries(headers)));
    if (coding !== 'identity' && !request.fresh) response.setHeader('Content-Encoding', coding);
    response.send(page.contents[coding]);
  };

  function read(file: string) {
    const [br, gzip] = codings.map(([, suffix]) => readFileSync(join(folder, file + suffix))) as [Buffer, Buffer];
    let decompressed: WeakRef<Buffer> | undefined;
    return {
      br,
      gzip,
      /** Few clients want it, and it is large: it is kept until unused memory is collected. */
      get identity() {
        const content = decompressed?.deref() ?? gunzipSync(gzip);
        decompressed = new WeakRef(content);
        return content;
      },
    };
  }
}
