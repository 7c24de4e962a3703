import type { ApiDocument } from '../document/model.ts';
import type { HttpClient } from './http-client.ts';
import type { Credentials } from './model.ts';

const anyId = '00000000-0000-4000-8000-000000000000';

/** The simplest requests of the document: what can be read, asked for without a credential. */
export function plainUrls(
  { base_url: base, case_base_url: caseBase }: Credentials,
  { operations }: ApiDocument,
): string[] {
  return operations
    .filter(({ method }) => method === 'get')
    .map(({ path, servers }) => (servers ? caseBase : base) + path.replace(/\{[^}]+\}/g, anyId));
}

/**
 * Asks the target for something simple, before anything else: any response will do.
 * @returns what the tester should know of the responses
 * @throws {NoResponseError} if one does not response as HTTP
 */
export async function reachTarget(
  credentials: Credentials,
  client: HttpClient,
  document: ApiDocument,
): Promise<string[]> {
  const notices: string[] = [];
  for (const url of plainUrls(credentials, document)) {
    const { status } = await client.send(url, { method: 'GET', path: '' });
    if (status >= 300 && status < 400)
      notices.push(`${url} returns with a redirect (${status}); the suite follows none`);
  }
  return notices;
}
