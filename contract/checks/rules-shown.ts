/** The reason for a refusal that the interface document specifies. */
export type Refusal = 'credential' | 'object';

/**
 * The rules of the interface document that are verified by the status of a refusal: of a credential, or of a JSON
 * object.
 */
const rulesByOperation: Record<string, Partial<Record<Refusal, readonly string[]>>> = {
  getVerificationSetting: { credential: ['5-A1'] },
  updateVerificationSetting: { credential: ['5-A1'], object: ['4.2-R1'] },
};

/** The ids of the rules that a check of this operation verifies. */
export function rulesShownBy(operationId: string, refuses: Refusal | undefined): readonly string[] {
  return (refuses && rulesByOperation[operationId]?.[refuses]) ?? [];
}
