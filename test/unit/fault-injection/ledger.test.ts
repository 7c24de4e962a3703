import { expect, test } from '@jest/globals';
import type { SettingUpdateEntry } from '../../../src/domain/audit.ts';
import { contradictions, type Kept, type Update } from '../../fault-injection/ledger.ts';

const before: Kept = { entries: [entry('0', false, true, 3)], enabled: true, cachedResults: 5 };
const updates: Update[] = [
  { requestId: '1', enabled: true, confirmed: true },
  { requestId: '2', enabled: false, confirmed: true },
  { requestId: '3', enabled: true, confirmed: false },
];
const [first, second, third] = [entry('1', true, true, 0), entry('2', true, false, 5), entry('3', false, true, 0)];

function entry(requestId: string, from: boolean, to: boolean, cleared: number): SettingUpdateEntry {
  return {
    id: `entry ${requestId}`,
    occurred_at: '2026-03-02T12:00:00.000Z',
    organisation_id: 'an organisation',
    credential_id: 'a credential',
    action: 'organisation.verification-setting.updated',
    before: { enabled: from },
    after: { enabled: to },
    request_id: requestId,
    cleared,
  };
}

const kept = (entries: SettingUpdateEntry[], enabled: boolean, cachedResults = 0): Kept => ({
  entries: [...before.entries, ...entries],
  enabled,
  cachedResults,
});

test('an update without a response may be kept or not', () => {
  expect(contradictions(before, updates, kept([first, second], false))).toEqual([]);
  expect(contradictions(before, updates, kept([first, second, third], true))).toEqual([]);
});

const unchanged = entry('2', true, true, 0);
const stale = entry('3', true, true, 0);
const unknown = entry('9', false, true, 0);
const lost = { entries: [first, second], enabled: false, cachedResults: 0 };
test.each<[string, Kept, RegExp]>([
  ['a confirmed update is lost', kept([first], true, 5), /^the update 2 got 200, but is missing from/],
  ['a confirmed update was saved otherwise', kept([first, unchanged], true, 5), /^the update 2 got 200/],
  ['an update is kept twice', kept([first, first, second], false), /^the update 1 is in the audit log more than once/],
  ['an update comes from nowhere', kept([first, second, unknown], true), /9 that was not sent/],
  ['an update is without its entry', kept([first, second], true), /^the setting is not the value of the last entry/],
  ['an update overtook another', kept([first, second, stale], true), /^the update 3 does not start from the value/],
  ['results outlive a change', kept([first, second], false, 5), /^5 cached results are left, not 0/],
  ['a change cleared a part', kept([first, entry('2', true, false, 2)], false, 3), /^the update 2 cleared 2 .*, not 5/],
  ['an old entry is gone', lost, /entries of the audit log are missing/],
])('it is told when %s', (_, after, problem) => {
  expect(contradictions(before, updates, after)).toContainEqual(expect.stringMatching(problem));
});
