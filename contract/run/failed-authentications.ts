/**
 * Targets allow an address few failed authentications in a window. From one address, checks that send such requests share
 * the response to the same one. Once none is left, those that are over are not waited for, unless every check must run:
 * they are sent while all of their kind are refused with 429, as far as a limit may be used up. A credential that the target
 * accepts by mistake is found then, too; that it is refused with 401 is not seen, and so the check has not passed.
 */
import type { HttpResponse, RequestSpec } from './model.ts';
import { UnmetPreconditionError } from './errors.ts';

export class FailedAuthentications {
  readonly #mayWait: boolean;
  readonly #mayUseUp: boolean;
  readonly #responses = new Map<string, HttpResponse>();

  constructor({ mayWait, mayUseUp }: { mayWait: boolean; mayUseUp: boolean }) {
    this.#mayWait = mayWait;
    this.#mayUseUp = mayUseUp;
  }

  /** The response to the same request. */
  earlierResponse(request: RequestSpec): HttpResponse | undefined {
    return this.#responses.get(keyOf(request));
  }

  /** Keeps a response for checks that send the same request. */
  keep(request: RequestSpec, response: HttpResponse): void {
    if (response.status !== 429) this.#responses.set(keyOf(request), response);
  }

  /**
   * Whether a request is sent at once though none is left for some seconds.
   * @throws {UnmetPreconditionError} if it is not sent at all
   */
  isSentAlthoughUsedUp(seconds: number): boolean {
    if (this.#isWorthWaiting(seconds)) return false;
    if (!this.#mayUseUp)
      throw new UnmetPreconditionError(`${usedUp}; --provoke-429 sends it all the same, --require-all waits`);
    return true;
  }

  /**
   * @param left how many were left before the request, as far as it was known
   * @throws {UnmetPreconditionError} if the request was refused for the limit, and nobody waits
   */
  requireJudged({ status, headers }: HttpResponse, left: number): void {
    const mayBeUsedUp = left <= 0 || left === Infinity;
    if (status === 429 && mayBeUsedUp && !this.#isWorthWaiting(Number(headers['retry-after'])))
      throw new UnmetPreconditionError(`refused with 429, as ${usedUp}; --require-all waits, to see its own status`);
  }

  #isWorthWaiting(seconds: number): boolean {
    return this.#mayWait || seconds <= shortWaitSeconds;
  }
}

/** What a run may wait for a window to end, even if not all checks must run. */
const shortWaitSeconds = 10;

const usedUp = 'this address has no failed authentication left';

/** Names in any case and in any order make the same request; values of one name stand in theirs. */
function keyOf({ headers = [], body = '', ...others }: RequestSpec): string {
  const byName = ([one = '']: readonly unknown[], [other = '']: readonly unknown[]) =>
    String(one) < String(other) ? -1 : Number(String(one) > String(other));
  const fields = headers.map(([name, value]) => [name.toLowerCase(), value] as const).sort(byName);
  return JSON.stringify([Object.entries(others).sort(byName), fields, Buffer.from(body).toString('base64')]);
}
