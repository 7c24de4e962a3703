import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import type { Case, Error as ApiError, FileSummary } from '../out/oazapfts/client';
import { getCase, getVerificationSetting, updateVerificationSetting } from '../out/oazapfts/client';

expectTypeOf<Case['locked_at']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['file_analysis_status']>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<FileSummary['analysis_completed_at']>().toEqualTypeOf<string | null>();
expectTypeOf<ApiError['error_code']>().toEqualTypeOf<string>();

export async function call(target: CallTarget): Promise<Observed> {
  const key = { baseUrl: target.base_url, headers: { 'x-api-key': target.owner_key } };
  const token = { baseUrl: target.case_base_url, headers: { Authorization: `Bearer ${target.access_token}` } };
  const off = await updateVerificationSetting({ enabled: false }, key);
  const on = await updateVerificationSetting({ enabled: true }, key);
  const read = await getVerificationSetting(key);
  const found = await getCase(target.case_id, token);
  const missing = await getCase(unknownCaseId, token);
  const refused = await getVerificationSetting({ ...key, headers: { 'x-api-key': unknownKey } });
  return {
    enabled: [enabledOf(off.data), enabledOf(on.data), enabledOf(read.data)],
    case: found.data as Case,
    files: (found.data as Case).files,
    unknownCase: [missing.status, (missing.data as ApiError).error_code],
    unknownKey: [refused.status, (refused.data as ApiError).error_code],
  };
}

/** `default` has the status `number` here, which no status tells from 200: the data does. */
function enabledOf(data: { enabled: boolean } | ApiError): boolean {
  if (!('enabled' in data)) throw new Error(data.error_code);
  return data.enabled;
}
