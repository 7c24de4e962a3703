/** Which rules a check shows: the rules of each promise of the oracle, and what a run has shown of each rule. */
import type { PromiseName as Expected } from '../oracle/expected.ts';
import type { CheckResult, Outcome, RuleResult } from '../run/model.ts';
import type { InterfaceRule } from './interface-rules.ts';

/** What a row of the plan shows: what decides the response, or what is seen in a state or by the operator. */
export type PromiseName = Expected | 'address-limit' | 'effects';

/** The rules of the interface document that the oracle's promises of an operation are. */
const rules: Readonly<Record<string, Partial<Record<PromiseName, readonly string[]>>>> = {
  getVerificationSetting: {
    credential: ['5-A1', '5-S1', '7.2-C2', '9-V1', '9-V2'],
    permission: ['4.1-R2', '5-A2', '7.1-E403', '7.2-C3'],
    feature: ['4.1-R3', '7.1-E403', '7.2-C1'],
    success: ['4.1-O1', '2.1-F1', '9-V1'],
  },
  updateVerificationSetting: {
    credential: ['5-A1', '5-S1', '7.1-E401', '7.2-C2', '9-V2'],
    permission: ['4.2-R2', '5-A2', '7.1-E403', '7.2-C3', '3.1-S4'],
    feature: ['4.2-R3', '7.1-E403', '7.2-C1', '3.1-S4'],
    body: ['4.2-R1', '2.2-F1', '2.2-F2', '7.1-E400'],
    success: ['4.2-O1', '4.2-P1', '2.1-F1', '3.1-S1', '3.1-S2', '3.1-S3'],
    effects: ['4.2-R4', '4.2-R5', '6-E1', '3.1-S3', '3.1-S5', '3.1-S6'],
    limit: ['8-L1', '7.1-E429', '7-E1'],
  },
  getCase: { success: ['4.3-O1', '4.3-P1', '2.3-F10', '2.3-F11'] },
};

/** Those of refusals of which the interface document names no status: any refusal will do. */
const refusals: typeof rules = {
  getCase: { credential: ['5-S2', '7-E1', '9-V2'], 'not-found': ['5-S2', '7-E1', '7.2-C4'] },
};

const failures: readonly string[] = ['7-E1', '2.5-F1', '2.5-F2'];

const decisions: Partial<Record<PromiseName, readonly string[]>> = {
  path: ['D9', 'D17', 'D33'],
  method: ['D9', 'D17'],
  limit: ['D11', 'D26', 'D31'],
  'address-limit': ['D11', 'D31'],
  failure: ['D10'],
  effects: ['D26', 'D27'],
  credential: ['D11', 'D22', 'D24'],
  permission: ['D11', 'D20'],
  feature: ['D11'],
  'media-type': ['D9', 'D13'],
  'body-size': ['D9', 'D14'],
  body: ['D12'],
  'not-found': ['D9', 'D16', 'D21'],
  success: ['D13', 'D15', 'D16', 'D17', 'D20', 'D21', 'D33', 'D36', 'D185'],
};

/** How a check judges: as the document says, as decisions say, or that a refusal is one, whatever its status. */
export type Judgement = 'document' | 'decision' | 'refusal';

/** The ids of the rules that a promise of an operation shows. */
export function rulesShown(operationId: string, promise: PromiseName, judgement: Judgement): readonly string[] {
  if (judgement === 'decision') return decisions[promise] ?? [];
  if (judgement === 'refusal' && promise === 'failure') return failures;
  return (judgement === 'refusal' ? refusals : rules)[operationId]?.[promise] ?? [];
}

/** Lists the checks of each rule, in any layer, with the rule's outcome. */
export function traceRules(of: readonly InterfaceRule[], results: readonly CheckResult[]): RuleResult[] {
  return of.map((rule) => {
    const showing = results.filter(({ check }) => check.rules.includes(rule.id));
    const checks = [...new Set(showing.map(({ check }) => check.id))];
    const outcome = byGravity.find((each) => showing.some((result) => result.outcome === each)) ?? 'not run';
    if (outcome !== 'not run') return { ...rule, checks, outcome };
    // If there are several reasons, the shortest shows the least that is needed to check the rule.
    const reasons = showing.flatMap((result) => result.reason ?? []).sort((a, b) => a.length - b.length);
    return { ...rule, checks, outcome, reason: reasons[0] ?? 'none of its checks was chosen' };
  });
}

const byGravity: readonly Outcome[] = ['failed', 'known failure', 'passed'];
