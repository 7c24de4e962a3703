/** The label and the thumbnail's address, which the commands for files share. */
import { InvalidArgumentError } from 'commander';
import { type Config, ConfigError } from '../runtime/config.ts';
import { baseUrlOf } from './base-url.ts';

export const labelCharacters = 255;

/** Parses a name for people. */
export function labelOption(text: string): string {
  const { length } = Array.from(text);
  if (length === 0 || length > labelCharacters)
    throw new InvalidArgumentError(`It must have 1 to ${labelCharacters} characters.`);
  return text;
}

/** Where clients find thumbnails. @throws {ConfigError} if nobody can know */
export function thumbnailBaseUrlOf({ files, host, port }: Config): string {
  if (files.thumbnailBaseUrl === undefined && port === 0)
    throw new ConfigError('THUMBNAIL_BASE_URL is required when PORT is 0, because the port of the server is unknown');
  return files.thumbnailBaseUrl ?? baseUrlOf(host, port);
}
