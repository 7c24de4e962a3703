import { documentedOperations } from '../document/document.ts';
import type { HttpClient } from './http-client.ts';
import type { Credentials } from './model.ts';

const anyId = '00000000-0000-4000-8000-000000000000';

/** The simplest requests of the document: what can be read, asked for without a credential. */
export function plainUrls({ base_url: base, case_base_url: caseBase }: Credentials): string[] {
  return documentedOperations
    .filter(({ method }) => method === 'get')
    .map(({ path, hasOwnServers }) => (hasOwnServers ? caseBase : base) + path.replace(/\{[^}]+\}/g, anyId));
}

/**
 * Asks the target for something simple, before anything else: any answer will do.
 * @returns what the tester should know of the answers
 * @throws {NoAnswerError} if one does not answer as HTTP
 */
export async function reachTarget(credentials: Credentials, client: HttpClient): Promise<string[]> {
  const notices: string[] = [];
  for (const url of plainUrls(credentials)) {
    const { status } = await client.send(url, { method: 'GET', path: '' });
    if (status >= 300 && status < 400)
      notices.push(`${url} answers with a redirect (${status}); the suite follows none`);
  }
  return notices;
}
