/**
 * Serves thumbnails without a credential, so that web pages can show them. A name has 160 random bits and is disclosed
 * only to those who may read the case. A thumbnail never changes.
 */
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { fileAccess } from '../../files/file-access.ts';
import { readThumbnail, type Thumbnail } from '../../files/read-thumbnail.ts';
import { thumbnailName, thumbnailsPath } from '../../files/thumbnail-name.ts';
import { securityHeaders } from '../send-response.ts';

const headers = new Map(
  Object.entries({
    ...securityHeaders,
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Type': 'image/webp',
  }),
);

/** Serves the paths of the thumbnails in a folder; every other request passes, also for one that is not there. */
export function serveThumbnails(folder: string): RequestHandler {
  return async (request, response, next) => {
    const name = request.path.startsWith(thumbnailsPath) ? request.path.slice(thumbnailsPath.length) : '';
    if (!thumbnailName.test(name)) {
      next();
      return;
    }
    if (request.method !== 'GET') {
      request.allowed = new Set(['GET']);
      next();
      return;
    }
    const thumbnail = await fileAccess.run(() => readThumbnail(join(folder, name)));
    if (!thumbnail) {
      next();
      return;
    }
    response.setHeaders(headers).setHeader('X-Request-Id', request.id).setHeader('ETag', etagOf(thumbnail));
    response.send(thumbnail.content);
  };
}

/** From size and time, which are equal for all servers that share the folder. */
function etagOf({ content, modifiedAt }: Thumbnail): string {
  return `W/"${content.length.toString(16)}-${modifiedAt.getTime().toString(16)}"`;
}
