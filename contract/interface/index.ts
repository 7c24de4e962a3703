import type { Check } from '../run/model.ts';
import { afterManyRequestsChecks } from './after-many-requests.ts';
import { bodyChecks } from './bodies.ts';
import { concurrentUpdateChecks } from './concurrent-updates.ts';
import { crossedAuthenticationChecks } from './crossed-authentication.ts';
import { crossedBodyChecks } from './crossed-bodies.ts';
import { crossedRefusalChecks } from './crossed-refusals.ts';
import { crossedSuccessChecks } from './crossed-successes.ts';
import { failingStoreChecks } from './failing-store.ts';
import { headChecks } from './heads.ts';
import { likeNotFoundChecks } from './like-not-found.ts';
import { limitHeaderChecks } from './limit-headers.ts';
import { limitWindowChecks } from './limit-windows.ts';
import { limitsApartChecks } from './limits-apart.ts';
import { methodAndPathChecks } from './methods-and-paths.ts';
import { oddRequestIdChecks } from './odd-request-ids.ts';
import { operatedCaseChecks } from './operated-cases.ts';
import { orderChecks } from './order-of-checks.ts';
import { responseTimeChecks } from './response-times.ts';
import { otherOriginChecks } from './other-origins.ts';
import { requestIdChecks } from './request-ids.ts';
import { publishedFileChecks } from './published-files.ts';
import { safeRequestChecks } from './safe-requests.ts';
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

/** The checks of the interface document's rules. Those that use the operator come early, before any update. */
export const ruleChecks: readonly Check[] = [
  // One of them waits a second, in parallel with other read-only checks.
  ...limitWindowChecks,
  ...effectChecks,
  ...refusedUpdateChecks,
  ...safeRequestChecks,
  ...failingStoreChecks,
  ...fieldChecks,
  ...stateChecks,
  ...settingChecks,
  ...concurrentUpdateChecks,
  ...invalidBodyChecks,
  ...readingOnly(caseChecks),
  ...operatedCaseChecks,
  ...readingOnly(likeNotFoundChecks),
  ...authenticationChecks,
  ...crossedAuthenticationChecks,
  ...orderChecks,
  ...crossedRefusalChecks,
  ...crossedSuccessChecks,
  ...bodyChecks,
  ...crossedBodyChecks,
  ...methodAndPathChecks,
  ...responseTimeChecks,
  ...afterManyRequestsChecks,
  ...headChecks,
  ...otherOriginChecks,
  ...publishedFileChecks,
  ...limitHeaderChecks,
  ...limitsApartChecks,
  ...versionChecks,
  ...requestIdChecks,
  ...oddRequestIdChecks,
  ...limitChecks,
];
