import { readFile } from 'node:fs/promises';
import { fileFault } from '../cli/file-fault.ts';
import type { Credentials } from '../run/model.ts';
import { UsageError } from '../run/usage-error.ts';

const names = [
  'base_url',
  'case_base_url',
  'region',
  'owner_key',
  'member_key',
  'viewer_key',
  'revoked_key',
  'feature_off_key',
  'access_token',
  'case_id',
  'other_access_token',
  'other_case_id',
  'empty_case_id',
] satisfies (keyof Credentials)[];

/**
 * Reads the credentials file. What it holds is never repeated in a message.
 * @throws {UsageError} if it is unusable
 */
export async function readCredentials(file: string): Promise<Partial<Credentials>> {
  const value = parseJson(file, await readText(file));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`the credentials file ${file} must hold one JSON object, as \`demo --json\` prints it`);
  for (const [name, text] of Object.entries(value)) {
    if (!(names as string[]).includes(name))
      throw new UsageError(
        `the credentials file ${file} has a field${/^[a-z_]{1,40}$/.test(name) ? ` ${name}` : ''} that is unknown; ` +
          `known are ${names.join(', ')}`,
      );
    if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
      throw new UsageError(
        `the credentials file ${file} needs a text of visible ASCII characters in ${name}; leave it out if there is none`,
      );
  }
  return value;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the credentials file ${file} cannot be read: ${fileFault(error)}`);
  }
}

/** The parser's own message would quote the file. */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UsageError(`the credentials file ${file} is not JSON`);
  }
}
