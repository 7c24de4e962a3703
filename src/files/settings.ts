import { join } from 'node:path';
import { type CleanedEnv, EnvError, makeExactValidator } from 'envalid';
import { wholeNumber } from '../runtime/config-values.ts';
import type { Region } from '../domain/region.ts';

export type FileSettings = ReturnType<typeof filesOf>;

export const fileSettings = {
  MAX_FILE_BYTES: wholeNumber(1, 1024 ** 3)({ default: 64 * 1024 ** 2 }),
  THUMBNAIL_BASE_URL: baseUrl()({ default: undefined }),
};

export function filesOf(values: CleanedEnv<typeof fileSettings> & { DATA_DIR: string; REGION: Region }) {
  return Object.freeze({
    /** The folder of one region, which its servers share. */
    folder: join(values.DATA_DIR, `document-analysis-${values.REGION}-files`),
    maxBytes: values.MAX_FILE_BYTES,
    /** The base address of `thumbnail_url`, before `/thumbnails/`; undefined if it is the server's own address. */
    thumbnailBaseUrl: values.THUMBNAIL_BASE_URL,
  });
}

/** The contract bounds a `thumbnail_url` to 2,048 characters. */
const maxBaseUrlCharacters = 1900;

/** Sent to clients, so it must not contain a password. */
function baseUrl() {
  return makeExactValidator<string>((text) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '')
      throw new EnvError('must be a URL of http or https, without user name, password, query and fragment');
    if (text.length > maxBaseUrlCharacters) throw new EnvError(`must have at most ${maxBaseUrlCharacters} characters`);
    return url.href.replace(/\/+$/, '');
  });
}
