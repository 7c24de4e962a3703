// @ts-nocheck
import { getCase } from './get-case.js';
import { getVerificationSetting } from './get-verification-setting.js';
import type { OperationHandlers } from './operation.js';
import { updateVerificationSetting } from './update-verification-setting.js';

/** Every operation's handler, by its operationId. */
export const handlers: OperationHandlers = {
  getVerificationSetting,
  updateVerificationSetting,
  getCase,
};
