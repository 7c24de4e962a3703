import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import type { Case, Error as ApiError, FileSummary, UpdateVerificationSettingErrors } from '../out/hey-api';
import { getCase, getVerificationSetting, updateVerificationSetting } from '../out/hey-api';
import { client } from '../out/hey-api/client.gen';

expectTypeOf<Case['locked_at']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['file_analysis_status']>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<FileSummary['analysis_completed_at']>().toEqualTypeOf<string | null>();
expectTypeOf<ApiError['error_code']>().toEqualTypeOf<string>();
expectTypeOf<keyof UpdateVerificationSettingErrors>().toEqualTypeOf<400 | 401 | 403 | 413 | 415 | 429 | 500 | 503>();

export async function call(target: CallTarget): Promise<Observed> {
  client.setConfig({
    baseUrl: target.base_url,
    auth: ({ type }) => (type === 'apiKey' ? target.owner_key : target.access_token),
  });
  const baseUrl = target.case_base_url;
  const off = await updateVerificationSetting({ body: { enabled: false } });
  const on = await updateVerificationSetting({ body: { enabled: true } });
  const read = await getVerificationSetting();
  const found = await getCase({ path: { id: target.case_id }, baseUrl });
  const missing = await getCase({ path: { id: unknownCaseId }, baseUrl });
  const refused = await getVerificationSetting({ auth: unknownKey });
  if (!off.data || !on.data || !read.data || !found.data || !missing.error || !refused.error)
    throw new Error('a response is not of the kind that was expected');
  return {
    enabled: [off.data.enabled, on.data.enabled, read.data.enabled],
    case: found.data,
    files: found.data.files,
    unknownCase: [missing.response?.status ?? 0, missing.error.error_code],
    unknownKey: [refused.response?.status ?? 0, refused.error.error_code],
  };
}
