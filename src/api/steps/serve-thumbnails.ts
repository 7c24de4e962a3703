/**
 * Serves thumbnails to whoever knows their names, without a credential, so that a page can show them: a name has 160 random
 * bits and stands only in the responses to those who may read the case. A thumbnail never changes.
 */
import type { RequestHandler } from 'express';
import { Refusal } from '../errors.ts';
import { thumbnailName, thumbnailsPath } from '../../files/thumbnail-name.ts';
import { securityHeaders } from '../send-json.ts';

const options = {
  acceptRanges: false,
  cacheControl: false,
  lastModified: false,
  headers: {
    ...securityHeaders,
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Type': 'image/webp',
  },
};

/** Serves the paths of the thumbnails in a folder; every other request passes, also for one that is not there. */
export function serveThumbnails(folder: string): RequestHandler {
  return (request, response, next) => {
    const name = request.path.startsWith(thumbnailsPath) ? request.path.slice(thumbnailsPath.length) : '';
    if (!thumbnailName.test(name)) {
      next();
      return;
    }
    if (request.method !== 'GET') {
      next(new Refusal('request.method-not-allowed', { headers: { Allow: 'GET, HEAD' } }));
      return;
    }
    response.sendFile(name, { ...options, root: folder }, (error?: NodeJS.ErrnoException) => {
      const clientHasGone = error?.code === 'ECONNABORTED' || error?.syscall === 'write';
      if (error && !clientHasGone) next(error.code === 'ENOENT' ? undefined : error);
    });
  };
}
