import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import type { Case, Error as ApiError, FileSummary } from '../out/orval/client';
import { getCase, getVerificationSetting, updateVerificationSetting } from '../out/orval/client';
import { setBaseUrls } from './orval-fetch';

expectTypeOf<Case['locked_at']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['file_analysis_status']>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<FileSummary['analysis_completed_at']>().toEqualTypeOf<string | null>();
expectTypeOf<ApiError['error_code']>().toEqualTypeOf<string>();

export async function call(target: CallTarget): Promise<Observed> {
  setBaseUrls({ api: target.base_url, cases: target.case_base_url });
  const key = { headers: { 'x-api-key': target.owner_key } };
  const token = { headers: { Authorization: `Bearer ${target.access_token}` } };
  const off = await updateVerificationSetting({ enabled: false }, key);
  const on = await updateVerificationSetting({ enabled: true }, key);
  const read = await getVerificationSetting(key);
  const found = await getCase(target.case_id, token);
  const missing = await getCase(unknownCaseId, token);
  const refused = await getVerificationSetting({ headers: { 'x-api-key': unknownKey } });
  if (off.status !== 200 || on.status !== 200 || read.status !== 200 || found.status !== 200)
    throw new Error('a response is not of the kind that was expected');
  if (missing.status !== 404 || refused.status !== 401) throw new Error('a refusal was expected');
  return {
    enabled: [off.data.enabled, on.data.enabled, read.data.enabled],
    case: found.data,
    files: found.data.files,
    unknownCase: [missing.status, missing.data.error_code],
    unknownKey: [refused.status, refused.data.error_code],
  };
}
