/** Names of thumbnails. A name is a capability: nothing lists them, and nobody can guess one. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** The path below which the server has thumbnails; a name follows. */
export const thumbnailsPath = '/thumbnails/';

export const thumbnailName = /^[0-9a-f]{40}\.webp$/;

export function newThumbnailName(): string {
  return `${randomBytes(20).toString('hex')}.webp`;
}

/** The name in the address of a thumbnail; undefined if the address is none of this program's, as imported cases may have. */
export function thumbnailNameOf(url: string): string | undefined {
  const start = url.lastIndexOf(thumbnailsPath);
  const name = start < 0 ? '' : url.slice(start + thumbnailsPath.length);
  return thumbnailName.test(name) ? name : undefined;
}

export function thumbnailFolderOf(filesFolder: string): string {
  return join(filesFolder, 'thumbnails');
}
