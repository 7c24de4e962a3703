import type { Check, CheckContext } from '../run/model.ts';
import { operatorOf } from './audit.ts';
import { type CaseBody } from './cases.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import { bearer, readCase } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const needs = ['operator', 'access_token'] as const;

/** Cases that the operator makes: sections 3.2, 3.3 and 3.4. */
export const operatedCaseChecks: readonly Check[] = [
  ruleCheck({
    id: '3.3-S1.waiting-for-upload',
    title: 'a file that is not uploaded yet is waiting_for_upload, and its case is not complete',
    rules: ['3.3-S1', '3.2-S1', 'D6', 'D28'],
    needs,
    run: async (context) => {
      const { case_id: id, file_id: fileId } = await operatorOf(context).createCase();
      const { files, file_analysis_status: status } = await readCreated(context, id);
      const [file] = files;
      expectThat(files.length === 1 && file?.['file_id'] === fileId, `only the file ${fileId}`, shown(files));
      expectThat(file?.['analysis_status'] === 'waiting_for_upload', 'waiting_for_upload', shown(file));
      expectThat(status === 'waiting_for_file_analysis', 'waiting_for_file_analysis', shown(status));
    },
  }),
  ruleCheck({
    id: '3.4-S1.locked-by-the-operator',
    title: 'a locked case has is_locked and locked_at from the next read on',
    rules: ['3.4-S1', '2.3-F4', '2.3-F5', 'D29'],
    needs,
    run: async (context) => {
      const operator = operatorOf(context);
      const { case_id: id } = await operator.createCase();
      const before = await readCreated(context, id);
      expectThat(before['is_locked'] === false && before['locked_at'] === null, 'a case without a lock', shown(before));
      await operator.lockCase(id);
      const { is_locked: isLocked, locked_at: lockedAt } = await readCreated(context, id);
      expectThat(isLocked === true, 'is_locked true', shown(isLocked));
      expectThat(!Number.isNaN(Date.parse(String(lockedAt))), 'a time in locked_at', shown(lockedAt));
    },
  }),
];

async function readCreated(context: CheckContext, id: string): Promise<CaseBody> {
  const response = await context.call(readCase(id, bearer(context.credential('access_token'))));
  expectResponse(response, 'reading the case that the operator created', 200);
  return objectOf(response, 'the case that the operator created') as CaseBody;
}
