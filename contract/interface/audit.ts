import type { AuditEntry, CheckContext, Operator } from '../run/model.ts';
import { expectThat } from './expect.ts';

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

/** The only entry that the work adds; fails if it adds none or several. */
export async function entryOf(context: CheckContext, work: () => Promise<unknown>): Promise<AuditEntry> {
  const entries = await entriesOf(context, work);
  const [entry] = entries;
  expectThat(entries.length === 1, 'one audit entry for an update', String(entries.length));
  return entry as AuditEntry;
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
