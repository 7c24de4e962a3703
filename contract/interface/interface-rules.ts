import type { Source } from '../run/model.ts';
import { decisionRules } from './decision-rules.ts';

/** A promise of the interface document, or of a decision where that document is silent. */
export interface InterfaceRule {
  /** The section or the decision, and the promise in it. */
  readonly id: string;
  readonly source: Source;
  readonly statement: string;
}

/** The source of a rule, or of a check named after it, by its id: decisions are numbered separately. */
export function sourceOf(id: string): Source {
  return /^D\d/.test(id) ? 'decision' : 'interface';
}

const sectionRules: Record<string, string> = {
  '2.1-F1': 'The setting always shows enabled, as true or false.',
  '2.1-F2': 'The setting of an organisation that has never touched it is off.',
  '2.2-F1': 'An update needs enabled, as true or false.',
  '2.2-F2': 'An update may hold nothing beside enabled.',

  '2.3-F1': 'A case shows its case_id, a UUID.',
  '2.3-F2': 'A case shows its label, a text or null.',
  '2.3-F3': 'A case shows its metadata, an object.',
  '2.3-F4': 'A case shows is_locked, true or false.',
  '2.3-F5': 'A case shows locked_at, a time or null.',
  '2.3-F6': 'A case shows file_analysis_status, one of two words.',
  '2.3-F7': 'A case shows file_analysis_completed_at, a time or null.',
  '2.3-F8': 'A case shows created_at, a time.',
  '2.3-F9': 'A case shows updated_at, a time.',
  '2.3-F10': 'A case lists its files, and no files but its own.',
  '2.3-F11': 'A case counts its files in total_files.',
  '2.4-F1': 'A file has a file_id, a UUID.',
  '2.4-F2': 'A file has a label, a text.',
  '2.4-F3': 'A file has uploaded_at, a time.',
  '2.4-F4': 'A file has thumbnail_url, a text.',
  '2.4-F5': 'A file has mime_type, a text.',
  '2.4-F6': 'A file has analysis_status, a word.',
  '2.4-F7': 'A file has analysis_completed_at, a time once there is one.',

  '2.5-F1': 'An error carries error_code, a text for programs.',
  '2.5-F2': 'An error carries error_message, a text for people.',
  '2.5-F3': 'error_details, where an error has them, are an object.',

  '3.1-S1': 'An update with true takes the setting from off to on, and it stays on.',
  '3.1-S2': 'An update with false takes the setting from on to off, and it stays off.',
  '3.1-S3': 'An update with the saved value leaves everything as it is.',
  '3.1-S4': 'Nobody moves the setting without the permission and the feature.',
  '3.1-S5': 'Moving the setting, either way, discards the cached analysis results.',
  '3.1-S6': 'Moving the setting, either way, is put into the audit log.',
  '3.1-S7': 'Results that files have already stay as they are when the setting moves.',
  '3.2-S1': 'The analysis of a case is either waited for or complete; there is no third state.',
  '3.3-S1': 'Each file says how far its analysis is.',
  '3.4-S1': 'A case tells whether, and since when, it is locked.',

  '4.1-O1': 'GET of the setting returns 200 with the saved value.',
  '4.1-R1': 'As long as nobody has switched it on, the setting reads false.',
  '4.1-R2': 'Reading the setting without organisation_settings:read gets 403.',
  '4.1-R3': 'Reading the setting without the feature gets 403 with the code of that feature flag.',
  '4.2-O1': 'PUT of the setting returns 200 with the value that was saved.',
  '4.2-P1': 'An owner may update the setting.',
  '4.2-R1': 'An update whose enabled is absent or no boolean, or that holds anything else, gets 400.',
  '4.2-R2': 'Updating the setting without organisation_settings:write gets 403.',
  '4.2-R3': 'Updating the setting without the feature gets 403 with the code of that feature flag.',
  '4.2-R4': 'Cached analysis results go when an update changes the value, and stay when it does not.',
  '4.2-R5': 'Each update leaves an entry in the audit log.',
  '4.3-O1': 'GET of a case returns 200 with that case.',
  '4.3-P1': 'The identifier in the path decides which case is returned.',

  '5-S1': 'The organisation operations take an API key in the header x-api-key, and nothing else.',
  '5-S2': 'The case operation takes a token in Authorization, in the form of a bearer token, and nothing else.',
  '5-A1': 'The organisation operations respond 401 to a credential that is missing or not valid.',
  '5-A2': 'Permissions are looked at once the caller is known: one for reading the setting, another for updating it.',

  '6-E1': 'An update of the setting is recorded in the audit log.',
  '7-E1': 'Whatever goes wrong, the response carries the error object.',
  '7.1-E400': 'An update with an invalid body gets 400.',
  '7.1-E401': 'An update without a valid credential gets 401.',
  '7.1-E403': 'Reading and updating the setting without permission or feature gets 403.',
  '7.1-E429': 'An update beyond the rate limit gets 429.',
  '7.2-C1': 'A missing feature has the code request.organisations.feature-flag.not-enabled.',
  '7.2-C2': 'An invalid credential has the code request.authentication.invalid-token.',
  '7.2-C3': 'A missing permission has the code request.forbidden.',
  '7.2-C4': 'A case that is not found has the code request.cases.case.not-found.',
  '8-L1': 'There is a rate limit, and beyond it the response is 429.',
  '9-V1': 'The description carries a version, 0.0.1 at first, and none is chosen in a path or header.',
  '9-V2': 'A base address stands for one region.',
};

/** Every rule that a client can observe: first the sections in order, then the decisions. */
export const interfaceRules: readonly InterfaceRule[] = Object.entries({ ...sectionRules, ...decisionRules }).map(
  ([id, statement]) => ({ id, source: sourceOf(id), statement }),
);
