import type { Check } from '../model.js';
import { bodyChecks } from './bodies.js';
import { failingStoreChecks } from './failing-store.js';
import { likeNotFoundChecks } from './like-not-found.js';
import { limitHeaderChecks } from './limit-headers.js';
import { methodAndPathChecks } from './methods-and-paths.js';
import { orderChecks } from './order-of-checks.js';
import { fieldChecks } from './section-2-fields.js';
import { stateChecks } from './section-3-states.js';
import { caseChecks } from './section-4-case.js';
import { invalidBodyChecks } from './section-4-invalid-bodies.js';
import { settingChecks } from './section-4-setting.js';
import { authenticationChecks } from './section-5-authentication.js';
import { effectChecks } from './section-6-effects.js';
import { refusedUpdateChecks } from './section-6-refused.js';
import { limitChecks } from './section-8-limits.js';
import { versionChecks } from './section-9-versions.js';

export { type InterfaceRule, interfaceRules } from './interface-rules.js';
export { traceRules } from './trace-rules.js';

/** The checks of the interface document's rules. What the operator sees comes first, while nothing has been updated. */
export const ruleChecks: readonly Check[] = [
  ...effectChecks,
  ...refusedUpdateChecks,
  ...failingStoreChecks,
  ...fieldChecks,
  ...stateChecks,
  ...settingChecks,
  ...invalidBodyChecks,
  ...caseChecks,
  ...likeNotFoundChecks,
  ...authenticationChecks,
  ...orderChecks,
  ...bodyChecks,
  ...methodAndPathChecks,
  ...limitHeaderChecks,
  ...versionChecks,
  ...limitChecks,
];
