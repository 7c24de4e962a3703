/** What only the operator of a target sees: the audit log, and the cached results of two organisations (interface, 4.2 and 6; D26, D27). */
import { isDeepStrictEqual } from 'node:util';
import { NotOfferedError } from '../operator/open-operator.ts';
import { told } from '../oracle/json.ts';
import type { AuditEntry, CachedFor, HttpResponse, Operator } from '../run/model.ts';

const updated = 'organisation.verification-setting.updated';

/** An entry is looked at soon after its response has come. */
const clockToleranceMs = 10_000;

/** An update that has succeeded, and what its audit entry must say. */
export interface Update {
  /** Undefined if nobody knows. */
  readonly before: boolean | undefined;
  readonly after: boolean;
  readonly secret: string | undefined;
  readonly response: HttpResponse;
}

const organisations = ['of owner_key', 'another'] as const;
type Counts = Partial<Record<CachedFor, number | undefined>>;

/** So many cached results are there after a look: of a single one, nobody sees whether all are cleared. */
const cachedResults = 2;

/** After so many looks all entries are read again, and before that so many of those that are known. */
const [looksPerWhole, comparedEntries] = [50, 20];

/** The effects of all requests between two looks, compared with those that they must have. */
export class Effects {
  static readonly #known = new WeakMap<Operator, Effects>();
  readonly #operator: Operator;
  readonly #identities = new Map<string, Promise<object>>();
  #entries: readonly AuditEntry[] | undefined;
  #looks = 0;
  #cached: Counts = {};
  #updates: (Update & { readonly at: number })[] = [];
  #isReading = false;
  #looking: Promise<unknown> = Promise.resolve();

  private constructor(operator: Operator) {
    this.#operator = operator;
  }

  /** Those that an operator sees, whoever looks. */
  static seenBy(operator: Operator): Effects {
    const effects = this.#known.get(operator) ?? new Effects(operator);
    this.#known.set(operator, effects);
    return effects;
  }

  /** Takes note of the present state. @param isReading whether only reads follow, which may be those of several checks at once */
  async start(isReading: boolean): Promise<void> {
    const isStarted = isReading && this.#isReading;
    this.#isReading = isReading;
    if (!isStarted) this.forget();
    if (!isStarted) await this.fault(false);
  }

  note(update: Update): void {
    this.#updates.push({ ...update, at: Date.now() });
  }

  /** What there is at the next look is as it must be: nobody knows what a request has done. */
  forget(): void {
    this.#entries = undefined;
  }

  /** What is wrong with the effects since the last look. @param details whether decisions about audit entries are judged, too */
  async fault(details: boolean): Promise<string | undefined> {
    const looking = this.#looking.then(() => this.#look(details));
    this.#looking = looking.catch(() => undefined);
    return looking;
  }

  async #look(details: boolean): Promise<string | undefined> {
    const [updates, known, cached] = [this.#updates.splice(0), this.#entries, this.#cached];
    const looks = [this.#listEntries(updates.length), this.#countCachedResults()] as const;
    const [entries, { found: counts, kept }] = await Promise.all(looks);
    [this.#entries, this.#cached] = [entries, kept];
    if (!known) return undefined;
    const written = entries.slice(0, entries.length - known.length).toReversed();
    if (!isDeepStrictEqual(entries.slice(written.length), known))
      return 'expected the earlier audit entries to stay as they were';
    if (written.length !== updates.length) {
      const several = updates.length === 1 ? 'one audit entry' : `${updates.length} audit entries`;
      const promised = updates.length === 0 ? 'no audit entry of what is no successful update' : several;
      return `expected ${promised}, got ${written.length}`;
    }
    const before = updates[0]?.before;
    const isChange = updates.some(({ after }) => after !== before);
    for (const organisation of organisations) {
      const [was, now] = [cached[organisation], counts[organisation]];
      const isCleared = isChange && organisation === 'of owner_key';
      if (was === undefined || now === undefined || (isCleared && before === undefined)) continue;
      const [promised, whose] = [isCleared ? 0 : was, organisation === 'another' ? 'another' : 'the'];
      if (now !== promised) return `expected ${promised} cached results of ${whose} organisation after it, got ${now}`;
    }
    return details ? this.#detailsFault(written, updates, cached['of owner_key']) : undefined;
  }

  /** All entries, the newest first. Most times those that are known already are taken as they were, beside the last of them. */
  async #listEntries(updates: number): Promise<readonly AuditEntry[]> {
    const list = async (limit?: number) =>
      (await this.#operator.listAuditEntries(limit)).filter(({ action }) => action === updated);
    const [known = [], last] = [this.#entries, this.#entries?.[0]];
    this.#looks += 1;
    if (!last || this.#looks % looksPerWhole === 0) return list();
    const newest = await list(updates + comparedEntries);
    const place = newest.findIndex(({ id }) => id === last.id);
    return place < 0 ? list() : [...newest, ...known.slice(newest.length - place)];
  }

  /** What is wrong with the fields of the entries, the oldest first: each begins with the value of the one before. */
  async #detailsFault(
    written: readonly AuditEntry[],
    updates: readonly (Update & { readonly at: number })[],
    cached: number | undefined,
  ): Promise<string | undefined> {
    let value = updates[0]?.before ?? written[0]?.before.enabled;
    let left = cached;
    const unmatched = [...updates];
    for (const entry of written) {
      const id = entry.request_id;
      const hasId = ({ response }: Update) => response.headers['x-request-id'] === id;
      // Callers may send the same id with several updates.
      const alike = unmatched.findIndex((update) => hasId(update) && update.after === entry.after.enabled);
      const at = alike < 0 ? unmatched.findIndex(hasId) : alike;
      const [update] = at < 0 ? [] : unmatched.splice(at, 1);
      if (!update) return `expected the request id of an update in its audit entry, got ${id}`;
      const isChange = entry.after.enabled !== value;
      const identity = update.secret === undefined ? {} : await this.#identityOf(update.secret);
      const promised = {
        before: { enabled: value },
        after: { enabled: update.after },
        cleared: isChange ? (left ?? entry.cleared) : 0,
        ...identity,
      };
      const found = { ...entry } as Record<string, unknown>;
      const [name, expected] =
        Object.entries(promised).find(([field, each]) => !isDeepStrictEqual(each, found[field])) ?? [];
      if (name !== undefined)
        return `expected ${told(expected)} as ${name} of the audit entry, got ${told(found[name])}`;
      if (!(Math.abs(Date.parse(entry.occurred_at) - update.at) < clockToleranceMs))
        return `expected the time of the update as occurred_at, got ${entry.occurred_at}`;
      [value, left] = [update.after, isChange ? 0 : left];
    }
    return undefined;
  }

  /** How many there are, and how many once there are enough for the next look. */
  async #countCachedResults(): Promise<{ found: Counts; kept: Counts }> {
    const [found, kept]: [Counts, Counts] = [{}, {}];
    const look = async (each: CachedFor) => {
      let count = await offered(this.#operator.countCachedResults(each), undefined);
      found[each] = count;
      while (count !== undefined && count < cachedResults)
        count = await offered(this.#operator.saveCachedResults(each), undefined);
      kept[each] = count;
    };
    await Promise.all(organisations.map(look));
    return { found, kept };
  }

  #identityOf(secret: string): Promise<object> {
    const identity = this.#identities.get(secret) ?? offered(this.#operator.identify(secret), {});
    this.#identities.set(secret, identity);
    return identity;
  }
}

/** What an operator says, or something else if it does not offer that. */
export function offered<Result, Otherwise>(asked: Promise<Result>, otherwise: Otherwise): Promise<Result | Otherwise> {
  return asked.catch((error: unknown) => {
    if (error instanceof NotOfferedError) return otherwise;
    throw error;
  });
}
