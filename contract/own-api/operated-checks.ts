/** What the operator of a target makes happen, or alone can see: effects of updates, internal faults, and cases as stored. */
import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec } from '../run/model.ts';
import { Effects, entriesOf, leavingNoTrace, operatorOf } from './effects.ts';
import { sameCase } from './outcomes.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectStatus,
  expectThat,
  type Header,
  knownCases,
  parsed,
  readCase,
  readSetting,
  ruleCheck,
  save,
  savedSetting,
  shown,
  updateSetting,
} from './requests.ts';
import { errorFault } from './response-rules.ts';

const operated = ['operator', 'owner_key'] as const;
const updates = [
  [false, true],
  [true, true],
  [true, false],
  [false, false],
] as const;

/** Safe requests, and how they are named in the ids of checks. */
const reads: [name: string, needs: CredentialName[], request: (context: CheckContext) => RequestSpec][] = [
  ['reading-the-setting', [], (context) => readSetting(ownerKey(context))],
  ['head-of-the-setting', [], (context) => ({ ...readSetting(ownerKey(context)), method: 'HEAD' })],
  [
    'reading-a-case',
    ['access_token', 'case_id'],
    (context) => readCase(context.credential('case_id'), bearer(context.credential('access_token'))),
  ],
];

const requests: typeof reads = [
  ...reads,
  ['switching-on', [], (context) => updateSetting(enabledBody(true), ownerKey(context))],
  ['switching-off', [], (context) => updateSetting(enabledBody(false), ownerKey(context))],
];

export const operatedChecks: readonly Check[] = [
  ruleCheck({
    id: '4.1-R1.first-value',
    title: 'the setting is off before its first update',
    rules: ['4.1-R1', '2.1-F2'],
    needs: operated,
    run: async (context) => {
      const isUntouched = (await operatorOf(context).listAuditEntries()).length === 0;
      const saved = await savedSetting(context);
      expectThat(!isUntouched || !saved, 'false before the first update', String(saved));
      const [{ organisation_id: own } = { organisation_id: '' }] = await entriesOf(context, () => save(context, saved));
      const entries = await operatorOf(context).listAuditEntries();
      const first = entries.filter(({ organisation_id: id }) => id === own).at(-1);
      expectThat(first?.before.enabled === false, 'false before the first update', shown(first?.before));
    },
  }),
  ...updates.flatMap(([before, after]) =>
    (['4.2-R5', 'D26'] as const).map((rule) =>
      ruleCheck({
        id: `${rule}.from-${before}-to-${after}`,
        title: `an update from ${before} to ${after} writes one audit entry${rule === 'D26' ? ' with all of its fields' : ''}, and ${before === after ? 'keeps' : 'clears'} the cached results`,
        rules:
          rule === 'D26'
            ? ['D26', 'D27']
            : ['4.2-R4', '4.2-R5', '6-E1', ...(before === after ? ['3.1-S3'] : ['3.1-S5', '3.1-S6'])],
        needs: operated,
        run: async (context) => {
          const operator = operatorOf(context);
          await save(context, before);
          const effects = new Effects(operator);
          await effects.before(true);
          const saved = await save(context, after, ['X-Request-Id', `contract-${before}-${after}`]);
          const details = rule === 'D26' ? await operator.identify(context.credential('owner_key')) : undefined;
          const fault = await effects.fault({ before, after }, saved, details);
          if (fault !== undefined) throw new Error(fault);
        },
      }),
    ),
  ),
  ...['4.2-R5', 'D26'].map((rule) =>
    ruleCheck({
      id: rule === 'D26' ? 'D26.chain' : '4.2-R5.at-once',
      title: `concurrent updates write one audit entry each${rule === 'D26' ? ', which begins with the value of the one before' : ''}`,
      rules: rule === 'D26' ? ['D26'] : ['4.2-R5', '6-E1'],
      needs: operated,
      run: async (context) => {
        await save(context, false);
        const values = [true, false, true, true, false, false, true, false];
        const entries = await entriesOf(context, () => Promise.all(values.map((value) => save(context, value))));
        const saved = entries.map(({ after }) => after.enabled);
        expectThat(shown(saved.toSorted()) === shown(values.toSorted()), `entries for ${shown(values)}`, shown(saved));
        const before = entries.map((entry) => entry.before.enabled);
        const isChain = rule !== 'D26' || shown(before) === shown([false, ...saved.slice(0, -1)]);
        expectThat(isChain, 'each entry to begin with the value of the one before', shown({ before, after: saved }));
        const came = await savedSetting(context);
        expectThat(came === saved.at(-1), `${saved.at(-1)}, the value of the last entry`, String(came));
      },
    }),
  ),
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
  ...reads.map(([name, needs, request]) =>
    ruleCheck({
      id: `D26.${name}`,
      title: `${name.replaceAll('-', ' ')} has no side effects`,
      rules: ['D26', 'D27'],
      needs: [...operated, ...needs],
      run: (context) =>
        leavingNoTrace(context, async () => {
          expectStatus(await context.call(request(context)), name, 200);
        }),
    }),
  ),
  ...requests.flatMap(([name, needs, request]) =>
    (['7-E1', 'D10'] as const).map((rule) =>
      ruleCheck({
        id: `${rule}.fault-while-${name}`,
        title: `an internal failure while ${name.replaceAll('-', ' ')} ${rule === 'D10' ? 'gets 500 or 503 and changes nothing' : 'returns the error object'}`,
        rules: rule === 'D10' ? ['D10'] : ['7-E1', '2.5-F1', '2.5-F2'],
        needs: [...operated, ...needs],
        run: async (context) => {
          const saved = await savedSetting(context);
          await leavingNoTrace(context, async () => {
            const { status, text } = await whileStoreFails(context, request(context));
            const isFailure = rule === 'D10' ? status === 500 || status === 503 : status >= 500;
            expectThat(isFailure, `an internal failure while ${name}`, String(status));
            const fault = rule === '7-E1' && !name.startsWith('head') ? errorFault(parsed(text)) : undefined;
            if (fault !== undefined) throw new Error(fault);
          });
          const now = await savedSetting(context);
          expectThat(now === saved, `the setting to stay ${saved} after the failure`, String(now));
          expectStatus(await context.call(request(context)), `${name} after the server has recovered`, 200);
          await save(context, saved);
        },
      }),
    ),
  ),
  ...knownCases.map(({ id, token }) =>
    ruleCheck({
      id: `4.3-O1.as-stored-${id.replaceAll('_', '-')}`,
      title: `${id} is returned as stored`,
      rules: ['4.3-O1', 'D8', '2.3-F3'],
      needs: ['operator', id, token],
      run: async (context) => {
        const expected = (await operatorOf(context).readCase(context.credential(id))) as Record<string, unknown>;
        const came = await readCaseOf(context, context.credential(id), token);
        for (const name of new Set([...Object.keys(expected), ...Object.keys(came)]))
          expectThat(
            sameCase({ [name]: came[name] }, { [name]: expected[name] }),
            `${shown(expected[name])} as ${name} of ${id}`,
            shown(came[name]),
          );
      },
    }),
  ),
  ruleCheck({
    id: '3.3-S1.waiting-for-upload',
    title: 'a file that is not uploaded yet is waiting_for_upload, and its case is not complete',
    rules: ['3.3-S1', '3.2-S1', 'D6', 'D28'],
    needs: ['operator', 'access_token'],
    run: async (context) => {
      const { case_id: id, file_id: fileId } = await operatorOf(context).createCase();
      const { files, file_analysis_status: status } = await readCaseOf(context, id);
      const [file, ...others] = files as { file_id: string; analysis_status: string }[];
      expectThat(file?.file_id === fileId && others.length === 0, `only the file ${fileId}`, shown(files));
      expectThat(file?.analysis_status === 'waiting_for_upload', 'waiting_for_upload', shown(file));
      expectThat(status === 'waiting_for_file_analysis', 'waiting_for_file_analysis', shown(status));
    },
  }),
  ruleCheck({
    id: '3.4-S1.locked-by-the-operator',
    title: 'a locked case has is_locked and locked_at from the next read on',
    rules: ['3.4-S1', '2.3-F4', '2.3-F5', 'D29'],
    needs: ['operator', 'access_token'],
    run: async (context) => {
      const operator = operatorOf(context);
      const { case_id: id } = await operator.createCase();
      const before = await readCaseOf(context, id);
      expectThat(before['is_locked'] === false && before['locked_at'] === null, 'a case without a lock', shown(before));
      await operator.lockCase(id);
      const { is_locked: isLocked, locked_at: lockedAt } = await readCaseOf(context, id);
      expectThat(isLocked === true, 'is_locked true', shown(isLocked));
      expectThat(!Number.isNaN(Date.parse(String(lockedAt))), 'a time in locked_at', shown(lockedAt));
    },
  }),
];

function ownerKey(context: CheckContext): Header {
  return apiKey(context.credential('owner_key'));
}

async function readCaseOf(context: CheckContext, id: string, token: CredentialName = 'access_token') {
  const response = await context.call(readCase(id, bearer(context.credential(token))));
  expectStatus(response, `${token} reading ${id}`, 200);
  return (parsed(response.text) ?? {}) as Record<string, unknown>;
}

async function whileStoreFails(context: CheckContext, request: RequestSpec): Promise<HttpResponse> {
  const heal = await operatorOf(context).breakStore();
  try {
    return await context.call(request);
  } finally {
    await heal();
  }
}
