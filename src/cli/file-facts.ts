/** The label and the thumbnail URL, which several file commands use. */
import { InvalidArgumentError } from 'commander';
import { type Config, ConfigError } from '../runtime/config.ts';
import { baseUrlOf } from './base-url.ts';

export const labelCharacters = 255;

/** Parses a file's label. */
export function labelOption(text: string): string {
  const { length } = Array.from(text);
  if (length === 0 || length > labelCharacters)
    throw new InvalidArgumentError(`It must have 1 to ${labelCharacters} characters.`);
  return text;
}

/** The base URL of thumbnails. @throws {ConfigError} if the configuration does not determine it */
export function thumbnailBaseUrlOf({ files, host, port }: Config): string {
  if (files.thumbnailBaseUrl === undefined && port === 0)
    throw new ConfigError('THUMBNAIL_BASE_URL is required when PORT is 0, because the port of the server is unknown');
  return files.thumbnailBaseUrl ?? baseUrlOf(host, port);
}
