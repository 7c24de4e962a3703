import type { AuditEntry, Check } from '../run/model.ts';
import { entriesOf, entryOf, leavingNoTrace, operatorOf } from './audit.ts';
import { expectThat, shown } from './expect.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting, save } from './setting.ts';

const operated = ['operator', 'owner_key'] as const;
const clockToleranceMs = 1000;

const updates: [name: string, before: boolean, after: boolean][] = [
  ['off-to-on', false, true],
  ['on-to-off', true, false],
  ['on-again', true, true],
  ['off-again', false, false],
];

const perUpdate = updates.flatMap(([name, before, after]) => [
  ruleCheck({
    id: `4.2-R5.${name}`,
    title: `an update (${name.replaceAll('-', ' ')}) writes one audit entry`,
    rules: ['4.2-R5', '6-E1', ...(before === after ? [] : ['3.1-S6'])],
    needs: operated,
    run: async (context) => {
      await save(context, before);
      await entryOf(context, () => save(context, after));
    },
  }),
  ruleCheck({
    id: `4.2-R4.${name}`,
    title: `an update (${name.replaceAll('-', ' ')}) ${before === after ? 'keeps' : 'clears'} the cached results`,
    rules: ['4.2-R4', before === after ? '3.1-S3' : '3.1-S5'],
    needs: operated,
    run: async (context) => {
      await save(context, before);
      const operator = operatorOf(context);
      await operator.saveCachedResults();
      const saved = await operator.saveCachedResults();
      await save(context, after);
      const gone = before === after ? 0 : saved;
      const now = await operator.saveCachedResults();
      expectThat(now === saved - gone + 1, `${saved - gone} cached results after the update`, String(now - 1));
    },
  }),
  ruleCheck({
    id: `D26.${name}`,
    title: `the audit entry of an update (${name.replaceAll('-', ' ')}) has both values and the cleared count`,
    rules: ['D26', 'D27'],
    needs: operated,
    run: async (context) => {
      await save(context, before);
      const saved = await operatorOf(context).saveCachedResults();
      const entry = await entryOf(context, () => save(context, after));
      expectValue(entry, 'before', before);
      expectValue(entry, 'after', after);
      const gone = before === after ? 0 : saved;
      expectThat(entry.cleared === gone, `cleared ${gone} in the audit entry`, shown(entry.cleared));
    },
  }),
]);

/** The effects of an update that only the operator can observe: sections 3.1, 4.2 and 6. */
export const effectChecks: readonly Check[] = [
  ruleCheck({
    id: '4.1-R1.first-value',
    title: 'the setting is off before its first update',
    rules: ['4.1-R1', '2.1-F2'],
    needs: operated,
    run: async (context) => {
      const untouched = (await operatorOf(context).listAuditEntries()).length === 0;
      const saved = await savedSetting(context);
      expectThat(!untouched || !saved, 'false before the first update', String(saved));
      const { organisation_id: organisation } = await entryOf(context, () => save(context, saved));
      const first = (await operatorOf(context).listAuditEntries())
        .filter(({ organisation_id: id }) => id === organisation)
        .at(-1);
      expectThat(first?.before.enabled === false, 'false before the first update', shown(first?.before));
    },
  }),
  ...perUpdate,
  ruleCheck({
    id: 'D26.fields',
    title: 'an audit entry has its time, organisation, credential, action and request',
    rules: ['D26'],
    needs: operated,
    run: async (context) => {
      const saved = await savedSetting(context);
      const earliest = Date.now() - clockToleranceMs;
      const requestIds: (string | undefined)[] = [];
      const entries = await entriesOf(context, async () => {
        for (const id of ['contract-first', 'contract-second'])
          requestIds.push((await save(context, saved, ['X-Request-Id', id])).headers['x-request-id']);
      });
      expectThat(entries.length === 2, 'two entries for two updates', String(entries.length));
      const [first, second] = entries as [AuditEntry, AuditEntry];
      expectThat(first.id !== second.id, 'entries with unique identifiers', shown(first.id));
      const caller = await operatorOf(context).identify(context.credential('owner_key'));
      entries.forEach((entry, index) => {
        expectEntry(entry, earliest, requestIds[index]);
        for (const name of ['organisation_id', 'credential_id'] as const)
          expectThat(entry[name] === caller[name], `the caller's ${name} ${caller[name]}`, shown(entry[name]));
      });
    },
  }),
  ruleCheck({
    id: '4.2-R4.another-organisation',
    title: "an update does not clear another organisation's cached results",
    rules: ['4.2-R4', 'D27'],
    needs: operated,
    run: async (context) => {
      const operator = operatorOf(context);
      await save(context, false);
      const saved = await operator.saveCachedResults('another');
      await save(context, true);
      const now = await operator.saveCachedResults('another');
      expectThat(now === saved + 1, `${saved} cached results of the other organisation`, String(now - 1));
    },
  }),
  ruleCheck({
    id: 'D26.chain',
    title: 'each audit entry begins with the value of the previous one, also for concurrent updates',
    rules: ['D26'],
    needs: operated,
    run: async (context) => {
      await save(context, false);
      const values = [true, false, true, true, false, false, true, false];
      const entries = await entriesOf(context, () => Promise.all(values.map((enabled) => save(context, enabled))));
      expectThat(entries.length === values.length, `${values.length} entries`, String(entries.length));
      const last = entries.reduce((value, entry) => {
        expectValue(entry, 'before', value);
        return entry.after.enabled;
      }, false);
      const saved = await savedSetting(context);
      expectThat(saved === last, `the setting to be ${last}, the value of the last entry`, String(saved));
    },
  }),
  ruleCheck({
    id: 'D26.reading',
    title: 'reading the setting has no side effects',
    rules: ['D26', 'D27'],
    needs: operated,
    run: (context) =>
      leavingNoTrace(context, async () => {
        await savedSetting(context);
      }),
  }),
];

function expectValue(entry: AuditEntry, when: 'before' | 'after', value: boolean): void {
  expectThat(entry[when].enabled === value, `${when} ${value} in the audit entry`, shown(entry[when]));
}

function expectEntry(entry: AuditEntry, earliest: number, requestId: string | undefined): void {
  const time = Date.parse(entry.occurred_at);
  const inTime = time >= earliest && time <= Date.now() + clockToleranceMs;
  expectThat(inTime, 'the time of the update in occurred_at', shown(entry.occurred_at));
  expectThat(entry.request_id === requestId, `request_id ${shown(requestId)}`, shown(entry.request_id));
  const { action } = entry;
  expectThat(action === 'organisation.verification-setting.updated', 'the action of an update', shown(action));
  expectThat(typeof entry.id === 'string' && entry.id !== '', 'a string in id', shown(entry.id));
}
