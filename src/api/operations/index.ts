// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

import type { OperationHandlers } from '../operation.ts';
import { getVerificationSetting } from './get-verification-setting.ts';
import { updateVerificationSetting } from './update-verification-setting.ts';
import { getCase } from './get-case.ts';

/** The handler of every operation, by its operationId. */
export const handlers: OperationHandlers = {
  getVerificationSetting,
  updateVerificationSetting,
  getCase,
};
