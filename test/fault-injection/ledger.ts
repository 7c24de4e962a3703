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
  return [
    ...confirmedButLost(updates, entries),
    ...neverSent(updates, entries),
    ...notOnce(entries),
    ...brokenChain(before.enabled, entries, after.enabled),
    ...wronglyCleared(before.cachedResults, entries, after.cachedResults),
  ];
}

function confirmedButLost(updates: readonly Update[], entries: readonly SettingUpdateEntry[]): string[] {
  const kept = new Map(entries.map((entry) => [entry.request_id, entry.after.enabled]));
  return updates
    .filter(({ confirmed, requestId, enabled }) => confirmed && kept.get(requestId) !== enabled)
    .map(({ requestId }) => `the update ${requestId} got 200, but is missing from the audit log or differs there`);
}

function neverSent(updates: readonly Update[], entries: readonly SettingUpdateEntry[]): string[] {
  const sent = new Set(updates.map(({ requestId }) => requestId));
  return entries
    .filter((entry) => !sent.has(entry.request_id))
    .map((entry) => `the audit log contains an update ${entry.request_id} that was not sent`);
}

function notOnce(entries: readonly SettingUpdateEntry[]): string[] {
  const seen = new Set<string>();
  return entries.flatMap(({ request_id: requestId }) => {
    if (seen.has(requestId)) return [`the update ${requestId} is in the audit log more than once`];
    seen.add(requestId);
    return [];
  });
}

function brokenChain(enabled: boolean, entries: readonly SettingUpdateEntry[], enabledAfter: boolean): string[] {
  let held = enabled;
  const problems: string[] = [];
  for (const { request_id: requestId, before, after } of entries) {
    if (before.enabled !== held)
      problems.push(`the update ${requestId} does not start from the value of the one before it`);
    held = after.enabled;
  }
  if (held !== enabledAfter) problems.push('the setting is not the value of the last entry of the audit log');
  return problems;
}

/** No result is saved between the two states, so the first update that changes the value clears all of them. */
function wronglyCleared(cached: number, entries: readonly SettingUpdateEntry[], cachedAfter: number): string[] {
  let held = cached;
  const problems: string[] = [];
  for (const { request_id: requestId, before, after, cleared } of entries) {
    const due = before.enabled === after.enabled ? 0 : held;
    if (cleared !== due) problems.push(`the update ${requestId} cleared ${cleared} results, not ${due}`);
    held -= due;
  }
  if (held !== cachedAfter) problems.push(`${cachedAfter} cached results are left, not ${held}`);
  return problems;
}
