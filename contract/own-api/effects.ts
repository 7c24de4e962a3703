/** What only the operator of a target sees of an update: the audit log and the cached results (interface, 4.2 and 6; D26, D27). */
import type { AuditEntry, CheckContext, HttpResponse, Operator, RequestSpec } from '../run/model.ts';
import { expectThat, shown } from './requests.ts';

/** An entry is looked at as soon as its response has come. */
const clockToleranceMs = 10_000;

/** The effects that a request has had, compared with those that it must have. */
export class Effects {
  readonly #operator: Operator;
  #newest: string | undefined;
  #cached = 0;

  constructor(operator: Operator) {
    this.#operator = operator;
  }

  /** Takes note of the state before a request. @param isUpdate whether it should succeed */
  async before(isUpdate: boolean): Promise<void> {
    const [newest] = await this.#operator.listAuditEntries();
    this.#newest = newest?.id;
    if (isUpdate) this.#cached = await this.#operator.saveCachedResults();
  }

  /** Whether an entry has been written since it was last asked for. */
  async hasUnexpected(): Promise<boolean> {
    const newest = this.#newest;
    await this.before(false);
    return newest !== this.#newest;
  }

  /**
   * What is wrong with the effects of a request.
   * @param update the values before and after; undefined if the request must have changed nothing
   * @param caller what the entry must say of the credential, where that is known
   */
  async fault(
    update: { before: boolean | undefined; after: boolean } | undefined,
    { headers: came }: HttpResponse,
    caller: object = {},
  ): Promise<string | undefined> {
    const entries = await this.#operator.listAuditEntries();
    const last = entries.findIndex(({ id }) => id === this.#newest);
    const written = entries.slice(0, last < 0 ? entries.length : last).filter(isOfUpdate);
    this.#newest = entries[0]?.id;
    if (!update) return written.length === 0 ? undefined : 'expected no audit entry for a refused request, got one';
    const [entry, ...others] = written;
    if (!entry || others.length > 0) return `expected one audit entry, got ${written.length}`;
    const cleared = update.before === update.after ? 0 : this.#cached;
    const left = (await this.#operator.saveCachedResults()) - 1;
    if (left !== this.#cached - cleared)
      return `expected ${this.#cached - cleared} cached results after it, got ${left}`;
    const before = { enabled: update.before ?? entry.before.enabled };
    const promised = { before, after: { enabled: update.after }, request_id: came['x-request-id'], cleared, ...caller };
    const found = { ...entry } as Record<string, unknown>;
    const wrong = Object.entries(promised).find(([name, value]) => shown(value) !== shown(found[name]));
    if (wrong) return `expected ${shown(wrong[1])} as ${wrong[0]} of the audit entry, got ${shown(found[wrong[0]])}`;
    const isInTime = Math.abs(Date.parse(entry.occurred_at) - Date.now()) < clockToleranceMs;
    return isInTime ? undefined : `expected the time of the update as occurred_at, got ${entry.occurred_at}`;
  }
}

function isOfUpdate({ action }: AuditEntry): boolean {
  return action === 'organisation.verification-setting.updated';
}

/** Whether a request can have effects that only the operator sees. */
export function hasEffects({ method, path }: RequestSpec): boolean {
  return !/^(GET|HEAD|OPTIONS|TRACE)$/i.test(method) && path.startsWith('/organisations/features/verification');
}

/** The operator, of a check that needs one. */
export function operatorOf({ operator }: CheckContext): Operator {
  if (!operator) throw new Error('The check uses the operator without declaring that it needs one.');
  return operator;
}

/** The entries that the work adds to the audit log, oldest first. */
export async function entriesOf(context: CheckContext, work: () => Promise<unknown>): Promise<AuditEntry[]> {
  const operator = operatorOf(context);
  const known = new Set((await operator.listAuditEntries()).map(({ id }) => id));
  await work();
  return (await operator.listAuditEntries()).filter(({ id }) => !known.has(id)).reverse();
}

/** Does work that must have no effect, and fails if the audit log or the cached results show one. */
export async function leavingNoTrace(context: CheckContext, work: () => Promise<void>): Promise<void> {
  const operator = operatorOf(context);
  const saved = await operator.saveCachedResults();
  const entries = await entriesOf(context, work);
  expectThat(entries.length === 0, 'no audit entry', String(entries.length));
  const now = await operator.saveCachedResults();
  expectThat(now === saved + 1, `${saved + 1} cached results, none of them cleared`, String(now));
}
