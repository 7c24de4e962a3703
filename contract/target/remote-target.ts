import { baseUrlOf } from '../cli/base-address.ts';
import type { Target } from '../run/model.ts';
import { readCredentials } from './read-credentials.ts';

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
