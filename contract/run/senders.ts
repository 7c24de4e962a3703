/**
 * Which of several credentials with the same rights, and which address of this machine, a check sends with: one whose
 * limit is not near, or, if it uses the limit up, the one that has least left.
 */
import { UnmetPreconditionError } from './errors.ts';
import type { HttpClient } from './http-client.ts';
import { addressLimit, limitStatedBy, type Pacing, publicLimit } from './limits.ts';
import type { Check, CredentialName, Credentials, HttpResponse, RequestSpec } from './model.ts';

/** More requests with one credential than a check makes, and more failed authentications than are in flight at once. */
const enough = { credential: 100, address: 50 };

/** What a run may wait for a window to end, even if not all checks must run. */
const shortWaitSeconds = 10;

/** The credentials that a check is to use. */
export function chooseCredentials(
  credentials: Credentials,
  { usesUp }: Pick<Check, 'usesUp'>,
  pacing: Pacing,
): Credentials {
  const chosen = Object.entries(credentials.spares ?? {}).flatMap(([name, others]) => {
    const own = credentials[name as CredentialName];
    const left = (secret: string) => pacing.leftOf(secret);
    return own === undefined ? [] : [[name, best([own, ...others], left, usesUp === name, enough.credential)]];
  });
  return { ...credentials, ...(Object.fromEntries(chosen) as Partial<Credentials>) };
}

/** Another credential with the same rights than the chosen one, if there is one: that of which most is left. */
export function spareOf(all: Credentials, chosen: Credentials, name: CredentialName, pacing: Pacing) {
  const others = [all[name], ...(all.spares?.[name] ?? [])].filter(
    (secret): secret is string => typeof secret === 'string' && secret !== chosen[name],
  );
  return others.length === 0 ? undefined : best(others, (secret) => pacing.leftOf(secret), false, Infinity);
}

/** The local address that a check sends from. @param addresses undefined lets the system choose */
export function chooseAddress(
  addresses: readonly (string | undefined)[],
  { usesUp }: Pick<Check, 'usesUp'>,
  pacing: Pacing,
): string | undefined {
  const left = (address: string | undefined) => pacing.leftOf(addressLimit(address));
  if (usesUp === 'address') return best(addresses, left, true, enough.address);
  const leftOfBoth = (address: string | undefined) => Math.min(left(address), pacing.leftOf(publicLimit(address)));
  return best(addresses, leftOfBoth, false, enough.address);
}

/** The first that has enough left, or else the one that has most; or the one that has least. */
function best<Limited>(all: readonly Limited[], left: (each: Limited) => number, least: boolean, wanted: number) {
  if (least) return all.reduce((chosen, each) => (left(each) < left(chosen) ? each : chosen));
  const at = all.findIndex((each) => left(each) >= wanted);
  return at < 0 ? all.reduce((chosen, each) => (left(each) > left(chosen) ? each : chosen)) : (all[at] as Limited);
}

const addresses = Array.from({ length: 60 }, (_none, index) => `127.0.0.${index + 2}`);

/**
 * The addresses from which this machine can send to a target. On Linux a target on the same machine can be reached from all
 * of 127.0.0.0/8; each has a limit of failed authentications of its own, unless there is a proxy between them.
 * @param urls one of each base address, of an operation that needs a credential
 */
export async function ownAddresses(urls: readonly string[], client: HttpClient): Promise<(string | undefined)[]> {
  const isLocal = urls.every((url) => /^(127\.\d+\.\d+\.\d+|localhost)$/.test(new URL(url).hostname));
  const found = await Promise.all((isLocal ? urls : []).map((url) => hasLimitForEach(url, client)));
  return found.length > 0 && found.every(Boolean) ? [undefined, ...addresses] : [undefined];
}

/**
 * Whether requests from other addresses get a response, and do not take from one another's limit, as far as `RateLimit` shows.
 * Which two are asked with differs between processes, so that runs at the same time seldom take each other's requests for it.
 */
async function hasLimitForEach(url: string, client: HttpClient): Promise<boolean> {
  const at = (offset: number) => addresses[(process.pid + offset) % addresses.length];
  const left = async (from?: string) => limitStatedBy(await client.send(url, { method: 'GET', path: '' }, from))?.left;
  try {
    const before = await left(at(0));
    if (before === undefined) return true;
    const [other = NaN, after = NaN] = [await left(at(addresses.length / 2)), await left(at(0))];
    return !(before < 2 ? other <= before : before - after > 1);
  } catch {
    return false;
  }
}

const usedUp = 'this address has no failed authentication left';

/** What is left of the failed authentications that targets allow an address. */
export type FailedAuthentications = ReturnType<typeof spareFailedAuthentications>;

/**
 * Targets allow an address few failed authentications in a window. From one address, checks that send such requests share
 * the response to the same one. Once none is left, those that are over are not waited for, unless every check must run:
 * they are sent while all of their kind are refused with 429, as far as a limit may be used up. A credential that the target
 * accepts by mistake is found then, too; that it is refused with 401 is not seen, and so the check has not passed.
 */
export function spareFailedAuthentications({ mayWait, mayUseUp }: { mayWait: boolean; mayUseUp: boolean }) {
  const responses = new Map<string, HttpResponse>();
  const isWorthWaiting = (seconds: number) => mayWait || seconds <= shortWaitSeconds;
  return {
    /** The response to the same request. */
    earlierResponse: (request: RequestSpec): HttpResponse | undefined => responses.get(keyOf(request)),

    /** Keeps a response for checks that send the same request. */
    keep(request: RequestSpec, response: HttpResponse): void {
      if (response.status !== 429) responses.set(keyOf(request), response);
    },

    /**
     * Whether a request is sent at once though none is left for some seconds.
     * @throws {UnmetPreconditionError} if it is not sent at all
     */
    isSentAlthoughUsedUp(seconds: number): boolean {
      if (isWorthWaiting(seconds)) return false;
      if (!mayUseUp)
        throw new UnmetPreconditionError(`${usedUp}; --provoke-429 sends it all the same, --require-all waits`);
      return true;
    },

    /**
     * @param left how many were left before the request, as far as it was known
     * @throws {UnmetPreconditionError} if the request was refused for the limit, and nobody waits
     */
    requireJudged({ status, headers }: HttpResponse, left: number): void {
      const mayBeUsedUp = left <= 0 || left === Infinity;
      if (status === 429 && mayBeUsedUp && !isWorthWaiting(Number(headers['retry-after'])))
        throw new UnmetPreconditionError(`refused with 429, as ${usedUp}; --require-all waits, to see its own status`);
    },
  };
}

/** Names in any case and in any order make the same request; values of one name stand in theirs. */
function keyOf({ headers = [], body = '', ...others }: RequestSpec): string {
  const byName = ([one = '']: readonly unknown[], [other = '']: readonly unknown[]) =>
    String(one) < String(other) ? -1 : Number(String(one) > String(other));
  const fields = headers.map(([name, value]) => [name.toLowerCase(), value] as const).sort(byName);
  return JSON.stringify([Object.entries(others).sort(byName), fields, Buffer.from(body).toString('base64')]);
}
