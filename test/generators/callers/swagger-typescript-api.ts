import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import {
  Api,
  type Case,
  type Error as ApiError,
  type FileSummary,
  type HttpResponse,
} from '../out/swagger-typescript-api/client';

expectTypeOf<Case['locked_at']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['file_analysis_status']>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<FileSummary['analysis_completed_at']>().toEqualTypeOf<string | null>();
expectTypeOf<ApiError['error_code']>().toEqualTypeOf<string>();

export async function call(target: CallTarget): Promise<Observed> {
  const { organisations } = api(target.base_url, { 'x-api-key': target.owner_key });
  const strangers = api(target.base_url, { 'x-api-key': unknownKey });
  const { cases } = api(target.case_base_url, { Authorization: `Bearer ${target.access_token}` });
  const off = await organisations.updateVerificationSetting({ enabled: false });
  const on = await organisations.updateVerificationSetting({ enabled: true });
  const read = await organisations.getVerificationSetting();
  const found = await cases.getCase(target.case_id);
  return {
    enabled: [off.data.enabled, on.data.enabled, read.data.enabled],
    case: found.data,
    files: found.data.files,
    unknownCase: await refusal(cases.getCase(unknownCaseId)),
    unknownKey: await refusal(strangers.organisations.getVerificationSetting()),
  };
}

function api(baseUrl: string, headers: Record<string, string>) {
  return new Api({ baseUrl, securityWorker: () => ({ headers }) });
}

/** This generator's clients throw the response. */
async function refusal<T>(response: Promise<HttpResponse<T, ApiError>>): Promise<[number, string]> {
  const thrown = await response.catch((refused: unknown) => refused as HttpResponse<T, ApiError>);
  return [thrown.status, thrown.error.error_code];
}
