/**
 * Compares the responses that clients received with the stored data. Every confirmed update must be stored, an
 * unconfirmed one may be, and each stored update must have had all of its effects exactly once.
 */
import type { SettingUpdateEntry } from '../../src/domain/audit.ts';

/** An update that was sent. */
export interface Update {
  readonly requestId: string;
  readonly enabled: boolean;
  /** Whether it got 200. */
  confirmed: boolean;
}

/** The stored data of one organisation. */
export interface Kept {
  /** The oldest first. */
  readonly entries: readonly SettingUpdateEntry[];
  readonly enabled: boolean;
  readonly cachedResults: number;
}

/** The contradictions between the updates that were sent and the stored data before and after them. */
export function contradictions(before: Kept, updates: readonly Update[], after: Kept): string[] {
  const rewritten = before.entries.some(({ id }, index) => after.entries[index]?.id !== id);
  if (rewritten) return ['entries of the audit log are missing or in another order'];
  const entries = after.entries.slice(before.entries.length);
  const kept = new Map(entries.map((entry) => [entry.request_id, entry.after.enabled]));
  const problems = updates
    .filter(({ confirmed, requestId, enabled }) => confirmed && kept.get(requestId) !== enabled)
    .map(({ requestId }) => `the update ${requestId} got 200, but is missing from the audit log or differs there`);
  const sent = new Set(updates.map(({ requestId }) => requestId));
  const seen = new Set<string>();
  let { enabled, cachedResults } = before;
  for (const { request_id: requestId, before: from, after: to, cleared } of entries) {
    if (!sent.has(requestId)) problems.push(`the audit log contains an update ${requestId} that was not sent`);
    if (seen.has(requestId)) problems.push(`the update ${requestId} is in the audit log more than once`);
    seen.add(requestId);
    if (from.enabled !== enabled)
      problems.push(`the update ${requestId} does not start from the value of the one before it`);
    enabled = to.enabled;
    // No result is saved between the two states, so the first update that changes the value clears all of them.
    const due = from.enabled === to.enabled ? 0 : cachedResults;
    if (cleared !== due) problems.push(`the update ${requestId} cleared ${cleared} results, not ${due}`);
    cachedResults -= due;
  }
  if (enabled !== after.enabled) problems.push('the setting is not the value of the last entry of the audit log');
  if (cachedResults !== after.cachedResults)
    problems.push(`${after.cachedResults} cached results are left, not ${cachedResults}`);
  return problems;
}
