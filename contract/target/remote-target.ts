import { readFile } from 'node:fs/promises';
import type { Credentials, Target } from '../model.js';
import { UsageError } from '../usage-error.js';

const names = new Set([
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
]);

/** Where the target is, and who may be played there. */
export interface RemoteOptions {
  readonly url: string;
  readonly caseUrl?: string | undefined;
  /** A file in the form that `document-analysis demo --json` prints; what is absent there makes checks not run. */
  readonly credentialsFile: string;
  readonly provoke429: boolean;
}

/** @throws {UsageError} if a URL or the credentials file is unusable */
export async function openRemoteTarget(options: RemoteOptions): Promise<Target> {
  const credentials = await readCredentials(options.credentialsFile);
  const baseUrl = baseUrlOf(options.url, '--url');
  const caseBaseUrl = options.caseUrl === undefined ? baseUrl : baseUrlOf(options.caseUrl, '--case-url');
  return {
    credentials: { ...credentials, base_url: baseUrl, case_base_url: caseBaseUrl },
    mayExhaustLimits: options.provoke429,
    close: () => Promise.resolve(),
  };
}

function baseUrlOf(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError(`${option} must be a base address such as https://api.example.com, not "${text}"`);
  return url.href.replace(/\/$/, '');
}

async function readCredentials(file: string): Promise<Partial<Credentials>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`The credentials file ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`The credentials file ${file} must hold one JSON object, as \`demo --json\` prints it`);
  for (const [name, text] of Object.entries(value)) {
    if (!names.has(name)) throw new UsageError(`The credentials file ${file} has an unknown field ${name}`);
    if (typeof text !== 'string' || text === '')
      throw new UsageError(
        `The credentials file ${file} needs a text, not empty, in ${name}; leave it out if there is none`,
      );
  }
  return value;
}
