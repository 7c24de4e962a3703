/**
 * Serves the documentation that `npm run build` wrote. `docs.bin` holds all files, compressed (2 MB), and stays in
 * memory, so that no request waits for a disk. `docs.json` lists the paths, with the place and the headers of each
 * file. All responses share one copy of a file in each coding, so that clients that do not read them take no memory.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { writeHead } from '../send-response.ts';
import { isHead } from './arrival.ts';

/** Content codings, the best first. */
const codings = ['br', 'gzip'] as const;

/** How a part of `docs.bin` is compressed. */
export type Coding = (typeof codings)[number] | 'identity';

/** A file that is served, with the offset and the length of it in `docs.bin` by content coding. */
export interface ServedFile {
  readonly headers: Readonly<Record<string, string>>;
  /** Its size without content coding. */
  readonly bytes: number;
  readonly places: Readonly<Partial<Record<Coding, readonly [offset: number, length: number]>>>;
}

/** `docs.json`: the files by their path in a request. */
export type DocsManifest = Readonly<Record<string, ServedFile>>;

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
  const files = new Map(Object.entries(manifest));
  const archive = readFileSync(join(folder, 'docs.bin'));
  /** Files without content coding, each decompressed once, in milliseconds: few clients want one. */
  const decompressed = new Map<ServedFile, Buffer>();
  return (request, response, next) => {
    const file = files.get(request.path);
    if (!file && request.path !== '/docs') {
      next();
      return;
    }
    if (request.method !== 'GET') {
      request.allowed = new Set(['GET']);
      next();
      return;
    }
    if (file) send(file, request, response);
    // Links of the pages are relative to the folder. The path is relative too, for proxies that add a prefix.
    else {
      writeHead(response, 308, { Location: 'docs/' });
      response.end();
    }
  };

  function send(file: ServedFile, request: Request, response: Response): void {
    const { headers, bytes, places } = file;
    const coding = codings.find((name) => places[name] && request.acceptsEncodings(name)) ?? 'identity';
    response.vary('Accept-Encoding');
    // `request.fresh` compares it; an error response must not have it.
    response.setHeader('ETag', headers['ETag'] ?? '');
    const isFresh = request.fresh;
    response.removeHeader('ETag');
    if (isFresh) {
      writeHead(response, 304, headers);
      response.end();
      return;
    }
    const content = isHead(request) ? undefined : contentOf(file, coding);
    const coded = coding === 'identity' ? undefined : { 'Content-Encoding': coding };
    writeHead(response, 200, { ...headers, ...coded, 'Content-Length': places[coding]?.[1] ?? bytes });
    response.end(content);
  }

  function contentOf(file: ServedFile, coding: Coding): Buffer {
    const place = file.places[coding];
    if (place) return partAt(place);
    const content = decompressed.get(file) ?? brotliDecompressSync(partAt(file.places.br ?? [0, 0]));
    decompressed.set(file, content);
    return content;
  }

  function partAt([offset, length]: readonly [number, number]): Buffer {
    const part = archive.subarray(offset, offset + length);
    if (part.length !== length) throw new Error('The documentation is incomplete: build it again.');
    return part;
  }
}
