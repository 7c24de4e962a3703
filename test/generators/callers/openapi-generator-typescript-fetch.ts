import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import {
  type Case,
  CasesApi,
  Configuration,
  type FileSummary,
  type ModelError,
  ModelErrorFromJSON,
  OrganisationsApi,
} from '../out/openapi-generator-typescript-fetch';

expectTypeOf<Case['lockedAt']>().toEqualTypeOf<Date | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<`${Case['fileAnalysisStatus']}`>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<FileSummary['analysisCompletedAt']>().toEqualTypeOf<Date | null>();
expectTypeOf<ModelError['errorCode']>().toEqualTypeOf<string>();

export async function call(target: CallTarget): Promise<Observed> {
  const organisations = (apiKey: string) =>
    new OrganisationsApi(new Configuration({ basePath: target.base_url, fetchApi: fetch, apiKey }));
  const cases = new CasesApi(
    new Configuration({ basePath: target.case_base_url, fetchApi: fetch, accessToken: target.access_token }),
  );
  const owner = organisations(target.owner_key);
  const off = await owner.updateVerificationSetting({ verificationSettingUpdate: { enabled: false } });
  const on = await owner.updateVerificationSetting({ verificationSettingUpdate: { enabled: true } });
  const read = await owner.getVerificationSetting();
  const found = await cases.getCase({ id: target.case_id });
  return {
    enabled: [off.enabled, on.enabled, read.enabled],
    case: {
      case_id: found.caseId,
      label: found.label,
      locked_at: found.lockedAt?.toISOString() ?? null,
      file_analysis_status: found.fileAnalysisStatus,
      total_files: found.totalFiles,
    },
    files: found.files.map((file) => ({
      file_id: file.fileId,
      analysis_status: file.analysisStatus,
      analysis_completed_at: file.analysisCompletedAt?.toISOString() ?? null,
    })),
    unknownCase: await refusal(cases.getCase({ id: unknownCaseId })),
    unknownKey: await refusal(organisations(unknownKey).getVerificationSetting()),
  };
}

/** This generator's clients throw the response. */
async function refusal(response: Promise<unknown>): Promise<[number, string]> {
  const thrown = await response.catch((refused: unknown) => refused);
  if (!(thrown instanceof Response)) throw new Error('a refusal was expected');
  return [thrown.status, ModelErrorFromJSON(await thrown.json()).errorCode];
}
