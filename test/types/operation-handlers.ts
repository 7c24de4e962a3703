/** Checked by `npm run typecheck` alone: each line below an expected error must not compile. */
import { getCase } from '../../src/api/operations/get-case.ts';
import { getVerificationSetting } from '../../src/api/operations/get-verification-setting.ts';
import type { OperationHandler, OperationHandlers } from '../../src/api/operation.ts';
import { updateVerificationSetting } from '../../src/api/operations/update-verification-setting.ts';

// @ts-expect-error -- a handler is missing
export const missing: OperationHandlers = { getVerificationSetting, updateVerificationSetting };

export const superfluous: OperationHandlers = {
  getVerificationSetting,
  updateVerificationSetting,
  getCase,
  // @ts-expect-error -- the document has no such operation
  deleteCase: getCase,
};

// @ts-expect-error -- the response of another operation
export const exchanged: OperationHandlers = { getVerificationSetting: getCase, updateVerificationSetting, getCase };

export const wrongBody: OperationHandler<'getVerificationSetting'> = () =>
  // @ts-expect-error -- a body of another shape
  Promise.resolve({ status: 200, body: { enabled: 'yes' } });

export const wrongStatus: OperationHandler<'getVerificationSetting'> = () =>
  // @ts-expect-error -- a status that the document does not have
  Promise.resolve({ status: 201, body: { enabled: true } });

// @ts-expect-error -- the operation has no request body
export type WrongInput = Parameters<OperationHandler<'getVerificationSetting'>>[0]['body']['enabled'];
