/** The rules of the interface document and the decisions, and which of them a check shows. */
import type { PromiseName as Expected } from '../oracle/expected.ts';
import type { Check, CheckResult, Outcome, RuleResult, Source } from '../run/model.ts';

/** A promise of the interface document, or of a decision where that document is silent. Its id says where it is. */
export type InterfaceRule = Pick<RuleResult, 'id' | 'source' | 'statement'>;

/** The source of a rule, or of a check named after it, by its id: decisions are numbered separately. */
export function sourceOf(id = ''): Source {
  return /^D\d/.test(id) ? 'decision' : 'interface';
}

/** Defines a check of the layer `rules`. Its id begins with the id of its rule, which it shows alone unless it says more. */
export function ruleCheck(
  definition: Omit<Check, 'layer' | 'source' | 'rules'> & Partial<Pick<Check, 'rules'>>,
): Check {
  const { id } = definition;
  return { layer: 'rules', source: sourceOf(id), rules: [id.replace(/\.[^.]*$/, '')], ...definition };
}

/** By section, and then the decisions that a client can observe, by their numbers in docs/decisions.md. */
const statements: Readonly<Record<string, string>> = {
  '2.1-F1': 'The setting always has enabled, a boolean.',
  '2.1-F2': 'The setting of an organisation that has never updated it is off.',
  '2.2-F1': 'An update requires enabled, a boolean.',
  '2.2-F2': 'An update has no field other than enabled.',

  '2.3-F1': 'A case has case_id, a UUID.',
  '2.3-F2': 'A case has label, a string or null.',
  '2.3-F3': 'A case has metadata, an object.',
  '2.3-F4': 'A case has is_locked, a boolean.',
  '2.3-F5': 'A case has locked_at, a time or null.',
  '2.3-F6': 'A case has file_analysis_status, one of two values.',
  '2.3-F7': 'A case has file_analysis_completed_at, a time or null.',
  '2.3-F8': 'A case has created_at, a time.',
  '2.3-F9': 'A case has updated_at, a time.',
  '2.3-F10': 'A case lists its own files, and no others.',
  '2.3-F11': 'A case counts its files in total_files.',
  '2.4-F1': 'A file has file_id, a UUID.',
  '2.4-F2': 'A file has label, a string.',
  '2.4-F3': 'A file has uploaded_at, a time.',
  '2.4-F4': 'A file has thumbnail_url, a string.',
  '2.4-F5': 'A file has mime_type, a string.',
  '2.4-F6': 'A file has analysis_status, a string.',
  '2.4-F7': 'A file has analysis_completed_at, a time, once its analysis has completed.',

  '2.5-F1': 'An error has error_code, a machine-readable string.',
  '2.5-F2': 'An error has error_message, a human-readable string.',
  '2.5-F3': 'The error_details of an error, if present, are an object.',

  '3.1-S1': 'An update with true switches the setting from off to on, and it stays on.',
  '3.1-S2': 'An update with false switches the setting from on to off, and it stays off.',
  '3.1-S3': 'An update with the saved value changes nothing.',
  '3.1-S4': 'Changing the setting requires the permission and the feature.',
  '3.1-S5': 'Changing the setting, in either direction, discards the cached analysis results.',
  '3.1-S6': 'Changing the setting, in either direction, writes an audit entry.',
  '3.1-S7': 'Changing the setting does not change existing results of files.',
  '3.2-S1': 'The analysis of a case is either pending or complete; there is no third state.',
  '3.3-S1': 'Each file states the status of its analysis.',
  '3.4-S1': 'A case states whether it is locked, and since when.',

  '4.1-O1': 'GET of the setting returns 200 with the saved value.',
  '4.1-R1': 'GET of the setting returns false until it is switched on.',
  '4.1-R2': 'Reading the setting without organisation_settings:read gets 403.',
  '4.1-R3': 'Reading the setting without the feature gets 403 with the code of that feature flag.',
  '4.2-O1': 'PUT of the setting returns 200 with the value that was saved.',
  '4.2-P1': 'An owner may update the setting.',
  '4.2-R1': 'An update gets 400 if enabled is missing or not a boolean, or if it has another field.',
  '4.2-R2': 'Updating the setting without organisation_settings:write gets 403.',
  '4.2-R3': 'Updating the setting without the feature gets 403 with the code of that feature flag.',
  '4.2-R4': 'An update clears cached analysis results only if it changes the value.',
  '4.2-R5': 'Each update writes an audit entry.',
  '4.3-O1': 'GET of a case returns 200 with that case.',
  '4.3-P1': 'The identifier in the path selects the case that is returned.',

  '5-S1': 'The organisation operations accept only an API key in the header x-api-key.',
  '5-S2': 'The case operation accepts only a bearer token in the header Authorization.',
  '5-A1': 'The organisation operations return 401 for a missing or invalid credential.',
  '5-A2': 'Permissions are checked after authentication: one to read the setting, another to update it.',

  '6-E1': 'An update of the setting is recorded in the audit log.',
  '7-E1': 'Every error response contains the error object.',
  '7.1-E400': 'An update with an invalid body gets 400.',
  '7.1-E401': 'An update without a valid credential gets 401.',
  '7.1-E403': 'Reading or updating the setting without the permission or the feature gets 403.',
  '7.1-E429': 'An update beyond the rate limit gets 429.',
  '7.2-C1': 'A missing feature has the code request.organisations.feature-flag.not-enabled.',
  '7.2-C2': 'An invalid credential has the code request.authentication.invalid-token.',
  '7.2-C3': 'A missing permission has the code request.forbidden.',
  '7.2-C4': 'A case that is not found has the code request.cases.case.not-found.',
  '8-L1': 'Requests beyond the rate limit get 429.',
  '9-V1': 'The API description has a version, initially 0.0.1; no path or header selects a version.',
  '9-V2': 'A base address belongs to one region.',

  D6: 'The analysis_status of a file is an extensible enumeration.',
  D7: 'Each file has all of its fields; analysis_completed_at is null until its analysis has completed.',
  D8: 'The list of files is complete and in upload order; total_files is its length.',
  D9: 'Each kind of refusal has its own error code.',
  D10: 'An internal failure gets 500 or 503, and the response discloses no internals.',
  D11: 'Checks run in this order: path and method, rate limit, credential, permission, feature, body.',
  D12: 'An invalid body is refused as a whole: no value is coerced, and the error lists every invalid field.',
  D13: 'A body that is not application/json in UTF-8 gets 415; other media type parameters are ignored.',
  D14: 'A body larger than 16 KiB gets 413, and the connection stays usable.',
  D15: 'Query parameters are ignored.',
  D16: 'Responses to unknown, foreign and malformed case identifiers are indistinguishable.',
  D17: 'HEAD gets the response to GET; other methods get 405; a path in another spelling gets 404.',
  D20: 'An owner may read and update the setting, a member may read it, a viewer may do neither.',
  D21: 'Only tokens of the organisation that owns a case may read it.',
  D22: 'Refused credentials all get the same response.',
  D23: 'A 401 names the expected scheme, which is case-insensitive, and an error only if a token was sent.',
  D24: 'A credential of another region is unknown.',
  D26: 'Only a successful update writes an audit entry: time, credential, request, values and cleared results.',
  D27: 'Cached results belong to one organisation; clearing them does not change the results of files.',
  D28: 'A case completes with the last analysis of its files, and has the completion time of that analysis.',
  D29: 'A case is locked if and only if locked_at is a time.',
  D30: 'Labels have at most 255 characters, metadata at most 64 KiB.',
  D31: 'Requests count per credential and failed authentications per address, under separate limits.',
  D32: 'Responses of operations state the limit and its remainder; a 429 states when to retry.',
  D33: 'No path or header selects a version.',
  D36: 'A well-formed X-Request-Id of a request is returned; any other is replaced.',
  D185: 'A response depends on the request and the stored data, not on the number of earlier requests.',
  D186: 'The window of a limit ends at a fixed time, which requests do not postpone.',
  D80: 'Files that the service publishes have validators, and a conditional request gets 304.',
  D180: 'A case is created before its lock and before the upload of its files; a file is uploaded before its analysis.',
  D181: 'Web pages of other origins may not call the API.',
};

/** Every rule that a client can observe: first the sections in order, then the decisions. */
export const interfaceRules: readonly InterfaceRule[] = Object.entries(statements).map(([id, statement]) => ({
  id,
  source: sourceOf(id),
  statement,
}));

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
