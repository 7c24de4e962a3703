import { baselineOf } from '../plan/baseline.ts';
import { ownDocument } from '../document/own-document.ts';
import type { Check, CredentialName, HttpResponse } from './model.ts';
import { UnusableTargetError } from './errors.ts';
import { missingNeeds } from './run-checks.ts';
import { Session, type SessionOptions } from './session.ts';

/** What is not known by then, the checks will tell. */
const mostSeconds = 3;

interface Asked {
  readonly credential: CredentialName | undefined;
  readonly url: string;
  readonly response: HttpResponse;
}

/**
 * Reads what the credentials should open, once, so that a wrong address or credential is reported in one line and not by each
 * check. What responds strangely in any other way is for the checks to judge.
 * @throws {UnusableTargetError} if the target redirects all of it elsewhere, or refuses a credential that chosen checks need wherever it is sent
 */
export async function preflight(options: SessionOptions, chosen: readonly Check[]): Promise<void> {
  const { document = ownDocument, target } = options;
  const signal = AbortSignal.timeout(mostSeconds * 1000);
  const asking = document.operations
    .filter(({ method }) => method === 'get')
    .map(async (operation): Promise<Asked | undefined> => {
      const baseline = baselineOf(operation, document);
      if (missingNeeds(baseline, options).length > 0) return undefined;
      const [scheme] = baseline.schemes;
      const session = new Session({ ...options, signal }, { needs: [...baseline.needs, 'exhausting-limits'] });
      const request = baseline.request(session);
      const response = await Promise.race([session.call(request), aborted(signal)]);
      return { credential: scheme?.credential, url: session.urlOf(request), response };
    });
  const asked = (await Promise.all(asking.map((each) => each.catch(() => undefined)))).filter((each) => !!each);
  const redirected = asked.filter(({ response: { status } }) => status >= 300 && status < 400);
  const [first] = redirected;
  if (first && redirected.length === asked.length)
    throw new UnusableTargetError(
      `${first.url} redirects to ${first.response.headers['location'] ?? 'nowhere'} (${first.response.status}), and the suite follows no redirect`,
    );
  const needed = new Set(chosen.flatMap(({ needs }) => needs));
  const opens = (name: CredentialName) =>
    asked.some(({ credential, response }) => credential === name && response.status !== 401);
  const names = [...new Set(asked.flatMap(({ credential = [] }) => credential))].filter(
    (name) => needed.has(name) && !opens(name),
  );
  if (names.length === 0) return;
  throw new UnusableTargetError(
    `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} refused with 401 by ${target.credentials.base_url}`,
  );
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}
