import type { Check } from '../run/model.ts';
import { bodyChecks } from './bodies.ts';
import { failingStoreChecks } from './failing-store.ts';
import { likeNotFoundChecks } from './like-not-found.ts';
import { limitHeaderChecks } from './limit-headers.ts';
import { methodAndPathChecks } from './methods-and-paths.ts';
import { operatedCaseChecks } from './operated-cases.ts';
import { orderChecks } from './order-of-checks.ts';
import { fieldChecks } from './section-2-fields.ts';
import { stateChecks } from './section-3-states.ts';
import { caseChecks } from './section-4-case.ts';
import { invalidBodyChecks } from './section-4-invalid-bodies.ts';
import { settingChecks } from './section-4-setting.ts';
import { authenticationChecks } from './section-5-authentication.ts';
import { effectChecks } from './section-6-effects.ts';
import { refusedUpdateChecks } from './section-6-refused.ts';
import { limitChecks } from './section-8-limits.ts';
import { versionChecks } from './section-9-versions.ts';

export { type InterfaceRule, interfaceRules } from './interface-rules.ts';
export { traceRules } from './trace-rules.ts';

const readingOnly = (checks: readonly Check[]) => checks.map((check) => ({ ...check, readsOnly: true }));

/** The checks of the interface document's rules. What the operator sees comes first, while nothing has been updated. */
export const ruleChecks: readonly Check[] = [
  ...effectChecks,
  ...refusedUpdateChecks,
  ...failingStoreChecks,
  ...fieldChecks,
  ...stateChecks,
  ...settingChecks,
  ...invalidBodyChecks,
  ...readingOnly(caseChecks),
  ...operatedCaseChecks,
  ...readingOnly(likeNotFoundChecks),
  ...authenticationChecks,
  ...orderChecks,
  ...bodyChecks,
  ...methodAndPathChecks,
  ...limitHeaderChecks,
  ...versionChecks,
  ...limitChecks,
];
