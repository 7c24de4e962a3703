/** Checked by `npm run typecheck` alone: each line below an expected error must not compile. */
import {
  type ApiError,
  type Case,
  type Client,
  createClient,
  type ErrorCode,
  isApiError,
  type OperationId,
  type Region,
} from '../../client/index.ts';
import type { operations } from '../../generated/operations.ts';
import type { Region as ServedRegion } from '../../src/domain/region.ts';

type Equal<A, B> = [A, B] extends [B, A] ? true : false;
type Expect<T extends true> = T;
/** The members of an open enumeration that are known by name. */
type Known<T extends string> = T extends unknown ? (string extends T ? never : T) : never;

export type Guarantees = [
  // The client has the server's operations and regions.
  Expect<Equal<keyof Client, keyof typeof operations>>,
  Expect<Equal<OperationId, keyof typeof operations>>,
  Expect<Equal<Region, ServedRegion>>,
  // The codes of a status are those of the document.
  Expect<Equal<ErrorCode<'getCase', 404>, 'request.cases.case.not-found' | 'request.not-found'>>,
  Expect<Equal<ErrorCode<'getCase', 500>, 'service.internal-error'>>,
  // Results are typed.
  Expect<Equal<Awaited<ReturnType<Client['getCase']>>, Case>>,
  Expect<Equal<Awaited<ReturnType<Client['updateVerificationSetting']>>, { enabled: boolean }>>,
];

createClient({
  region: 'uk',
  apiKey: 'secret',
  accessToken: async () => Promise.resolve('secret'),
});
createClient({ region: 'ca', apiKey: undefined, timeoutSeconds: undefined, fetch: globalThis.fetch });

// @ts-expect-error -- the region is not left to chance
createClient({ apiKey: 'secret' });
// @ts-expect-error -- there is no such region
createClient({ region: 'us' });
// @ts-expect-error -- a misspelt option is no option
createClient({ region: 'uk', apikey: 'secret' });
// @ts-expect-error -- a credential function gives a string
createClient({ region: 'uk', apiKey: () => undefined });

export function narrows(error: unknown): unknown {
  // @ts-expect-error -- the document has no such operation
  isApiError(error, 'deleteCase');
  if (!isApiError(error, 'getCase')) return;
  if (error.status === 404) {
    const code: Expect<Equal<Known<typeof error.code>, ErrorCode<'getCase', 404>>> = true;
    return code;
  }
  if (error.status === 503) {
    const code: Expect<Equal<Known<typeof error.code>, ErrorCode<'getCase', 503>>> = true;
    return code;
  }
  // A code that the document does not list stays possible.
  if (error.status === 401 && error.code === 'request.brewed') return error.requestId;
  // @ts-expect-error -- a status that the operation does not declare
  if (error.status === 403) return;
  // @ts-expect-error -- free in form, so each fact has to be tested
  const field: string | undefined = error.details?.['field'];
  return [field, error satisfies ApiError, error.retryAfterSeconds satisfies number | undefined];
}
