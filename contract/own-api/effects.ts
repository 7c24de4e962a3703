/** What only the operator of a target sees of an update: the audit log and the cached results (interface, 4.2 and 6; D26, D27). */
import type { AuditEntry, HttpResponse, Operator, RequestSpec } from '../run/model.ts';

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
   */
  async fault(
    update: { before: boolean | undefined; after: boolean } | undefined,
    { headers: came }: HttpResponse,
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
    const facts: [name: string, expected: unknown, found: unknown][] = [
      ['after in the audit entry', update.after, entry.after.enabled],
      ['before in the audit entry', update.before ?? entry.before.enabled, entry.before.enabled],
      ['request_id in the audit entry', came['x-request-id'], entry.request_id],
      ['cleared in the audit entry', cleared, entry.cleared],
      ['cached results after the update', this.#cached - cleared, left],
    ];
    const wrong = facts.find(([, expected, found]) => expected !== found);
    return wrong && `expected ${String(wrong[1])} as ${wrong[0]}, got ${String(wrong[2])}`;
  }
}

function isOfUpdate({ action }: AuditEntry): boolean {
  return action === 'organisation.verification-setting.updated';
}

/** Whether a request can have effects that only the operator sees. */
export function hasEffects({ method, path }: RequestSpec): boolean {
  return !/^(GET|HEAD|OPTIONS|TRACE)$/i.test(method) && path.startsWith('/organisations/features/verification');
}
