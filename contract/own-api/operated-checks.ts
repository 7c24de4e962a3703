/** What the operator of a target makes happen, or alone can see: updates at the same time, and cases as stored. */
import type { Check, CheckContext, CredentialName, Operator } from '../run/model.ts';
import { parsed, told } from '../oracle/json.ts';
import { Effects } from './effects.ts';
import { sameCase } from './outcomes.ts';
import { bearer, expectStatus, expectThat, readCase, save, savedSetting } from './requests.ts';
import { ruleCheck } from './rules.ts';

const operated = ['operator', 'owner_key'] as const;

/** The cases of the credentials, each with the token that may read it. */
const knownCases = [
  ['case_id', 'access_token'],
  ['empty_case_id', 'access_token'],
  ['other_case_id', 'other_access_token'],
] as const;

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
      await save(context, saved);
      const entries = await operatorOf(context).listAuditEntries();
      const first = entries.filter(({ organisation_id: id }) => id === entries[0]?.organisation_id).at(-1);
      expectThat(first?.before.enabled === false, 'false before the first update', told(first?.before));
    },
  }),
  ...(['4.2-R5', 'D26'] as const).map((rule) =>
    ruleCheck({
      id: `${rule}.at-once`,
      title: `concurrent updates write one audit entry each${rule === 'D26' ? ', which begins with the value of the one before' : ''}`,
      rules: rule === 'D26' ? ['D26'] : ['4.2-R5', '6-E1'],
      needs: operated,
      run: async (context) => {
        const effects = Effects.seenBy(operatorOf(context));
        await save(context, false);
        await effects.start(false);
        const values = [true, false, true, true, false, false, true, false];
        const secret = context.credential('owner_key');
        const responses = await Promise.all(values.map((value) => save(context, value)));
        for (const [index, response] of responses.entries())
          effects.note({ before: false, after: values[index] === true, secret, response });
        const fault = await effects.fault(rule === 'D26');
        if (fault !== undefined) throw new Error(fault);
        const [last] = await operatorOf(context).listAuditEntries();
        const came = await savedSetting(context);
        expectThat(came === last?.after.enabled, `${last?.after.enabled}, the value of the last entry`, String(came));
      },
    }),
  ),
  ...knownCases.map(([id, token]) =>
    ruleCheck({
      id: `4.3-O1.as-stored-${id.replaceAll('_', '-')}`,
      title: `${id} is returned as stored`,
      rules: ['4.3-O1', 'D8', '2.3-F3'],
      needs: ['operator', id, token],
      inAllWays: true,
      run: async (context) => {
        const expected = (await operatorOf(context).readCase(context.credential(id))) as Record<string, unknown>;
        const came = await readCaseOf(context, context.credential(id), token);
        for (const name of Object.keys({ ...expected, ...came })) {
          const isSame = sameCase({ [name]: came[name] }, { [name]: expected[name] });
          expectThat(isSame, `${told(expected[name])} as ${name} of ${id}`, told(came[name]));
        }
      },
    }),
  ),
  ruleCheck({
    id: '3.3-S1.waiting-for-upload',
    title: 'a file that is not uploaded yet is waiting_for_upload, and its case is not complete',
    rules: ['3.3-S1', '3.2-S1', 'D6', 'D28'],
    needs: ['operator', 'access_token'],
    inAllWays: true,
    run: async (context) => {
      const { case_id: id, file_id: fileId } = await operatorOf(context).createCase();
      const { files, file_analysis_status: status } = await readCaseOf(context, id);
      const [file, ...others] = files as { file_id: string; analysis_status: string }[];
      expectThat(file?.file_id === fileId && others.length === 0, `only the file ${fileId}`, told(files));
      expectThat(file?.analysis_status === 'waiting_for_upload', 'waiting_for_upload', told(file));
      expectThat(status === 'waiting_for_file_analysis', 'waiting_for_file_analysis', told(status));
    },
  }),
  ruleCheck({
    id: '3.4-S1.locked-by-the-operator',
    title: 'a locked case has is_locked and locked_at from the next read on',
    rules: ['3.4-S1', '2.3-F4', '2.3-F5', 'D29'],
    needs: ['operator', 'access_token'],
    inAllWays: true,
    run: async (context) => {
      const operator = operatorOf(context);
      const { case_id: id } = await operator.createCase();
      const before = await readCaseOf(context, id);
      expectThat(before['is_locked'] === false && before['locked_at'] === null, 'a case without a lock', told(before));
      await operator.lockCase(id);
      const { is_locked: isLocked, locked_at: lockedAt } = await readCaseOf(context, id);
      expectThat(isLocked === true, 'is_locked true', told(isLocked));
      expectThat(!Number.isNaN(Date.parse(String(lockedAt))), 'a time in locked_at', told(lockedAt));
    },
  }),
];

function operatorOf({ operator }: CheckContext): Operator {
  if (!operator) throw new Error('The check uses the operator without declaring that it needs one.');
  return operator;
}

async function readCaseOf(context: CheckContext, id: string, token: CredentialName = 'access_token') {
  const response = await context.call(readCase(id, bearer(context.credential(token))));
  expectStatus(response, `${token} reading ${id}`, 200);
  return (parsed(response.text) ?? {}) as Record<string, unknown>;
}
