import type { PromiseName } from '../oracle/expected.ts';

/** The rules of the interface document that the oracle's promises of an operation are. */
const rules: Readonly<Record<string, Partial<Record<PromiseName, readonly string[]>>>> = {
  getVerificationSetting: {
    credential: ['5-A1', '5-S1', '7.2-C2'],
    permission: ['4.1-R2', '5-A2', '7.1-E403', '7.2-C3'],
    feature: ['4.1-R3', '7.1-E403', '7.2-C1'],
    success: ['4.1-O1', '2.1-F1'],
  },
  updateVerificationSetting: {
    credential: ['5-A1', '5-S1', '7.1-E401', '7.2-C2'],
    permission: ['4.2-R2', '5-A2', '7.1-E403', '7.2-C3', '3.1-S4'],
    feature: ['4.2-R3', '7.1-E403', '7.2-C1', '3.1-S4'],
    body: ['4.2-R1', '2.2-F1', '2.2-F2', '7.1-E400'],
    success: ['4.2-O1', '4.2-P1'],
  },
  getCase: { success: ['4.3-O1', '4.3-P1'] },
};

/** The decisions that the oracle's promises are. */
const decisions: Partial<Record<PromiseName, readonly string[]>> = {
  path: ['D9', 'D17', 'D33'],
  method: ['D9', 'D17'],
  credential: ['D11', 'D22'],
  permission: ['D11', 'D20'],
  feature: ['D11'],
  'media-type': ['D9', 'D13'],
  'body-size': ['D9', 'D14'],
  body: ['D12'],
  'not-found': ['D9', 'D16', 'D21'],
  success: ['D13', 'D15', 'D17', 'D20', 'D21', 'D36'],
};

/** The ids of the rules that a promise of an operation shows. @param isDecision whether those are decisions */
export function rulesShown(operationId: string, promise: PromiseName, isDecision: boolean): readonly string[] {
  return (isDecision ? decisions[promise] : rules[operationId]?.[promise]) ?? [];
}
