import type { HttpClient } from '../http-client.js';
import type { Credentials, Target } from '../model.js';
import { UsageError } from '../usage-error.js';
import { readCredentials } from './read-credentials.js';

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
  const baseUrl = baseUrlOf(options.url, '--url');
  const caseBaseUrl = options.caseUrl === undefined ? baseUrl : baseUrlOf(options.caseUrl, '--case-url');
  const credentials = await readCredentials(options.credentialsFile);
  return {
    credentials: { ...credentials, base_url: baseUrl, case_base_url: caseBaseUrl },
    mayExhaustLimits: options.provoke429,
    close: () => Promise.resolve(),
  };
}

/**
 * Sends one request without a credential to each base address; any answer, if it has but begun, will do.
 * @returns what the tester should know of the answers
 * @throws {NoAnswerError} if one does not answer as HTTP
 */
export async function reachTarget(credentials: Credentials, client: HttpClient): Promise<string[]> {
  const notices: string[] = [];
  for (const base of new Set([credentials.base_url, credentials.case_base_url])) {
    const answer = await client.send(`${base}/`, { method: 'GET', path: '/' });
    if (answer.status >= 300 && answer.status < 400)
      notices.push(`${base} answers with a redirect (${answer.status}); the suite follows none`);
  }
  return notices;
}

/** The value is not repeated in the message, because it may hold a password. */
function baseUrlOf(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new UsageError(
      `${option} must be a base address such as https://api.example.com, without user name, query and fragment`,
    );
  return url.href.replace(/\/+$/, '');
}
