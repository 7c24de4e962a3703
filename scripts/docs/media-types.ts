import { extname } from 'node:path';

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
  '.png': 'image/png',
  '.py': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
  '.zip': 'application/zip',
};

/**
 * The media type of a published file, by its extension.
 * @throws {Error} if the extension is unknown
 */
export function mediaTypeOf(path: string): string {
  const type = mediaTypes[extname(path)];
  if (type === undefined) throw new Error(`${path} cannot be served: scripts/docs/media-types.ts has no type for it.`);
  return type;
}

/** Whether compression makes a file of this type smaller. The search index is already compressed. */
export function isCompressible(type: string): boolean {
  return !['application/octet-stream', 'application/zip', 'image/png'].includes(type);
}
