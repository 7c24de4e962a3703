import { getCase } from './get-case.ts';
import { getVerificationSetting } from './get-verification-setting.ts';
import type { OperationHandlers } from '../operation.ts';
import { updateVerificationSetting } from './update-verification-setting.ts';

/** Every operation's handler, by its operationId. */
export const handlers: OperationHandlers = {
  getVerificationSetting,
  updateVerificationSetting,
  getCase,
};
