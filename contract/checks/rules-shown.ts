/** The rules of the interface document that a refusal of an operation shows by its status alone. */
const rulesByStatus: Record<string, Record<number, readonly string[]>> = {
  getVerificationSetting: { 401: ['5-A1'] },
  updateVerificationSetting: { 400: ['4.2-R1'], 401: ['5-A1'] },
};

/** The ids of the rules that a check of this operation shows when it expects this status. */
export function rulesShownBy(operationId: string, status: number | undefined): readonly string[] {
  return (status !== undefined && rulesByStatus[operationId]?.[status]) || [];
}
