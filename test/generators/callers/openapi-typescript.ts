import createClient from 'openapi-fetch';
import { expectTypeOf } from 'expect-type';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from '../observed';
import type { components, operations, paths } from '../out/openapi-typescript/client';

type Case = components['schemas']['Case'];
expectTypeOf<keyof operations>().toEqualTypeOf<'getVerificationSetting' | 'updateVerificationSetting' | 'getCase'>();
expectTypeOf<Case['locked_at']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['label']>().toEqualTypeOf<string | null>();
expectTypeOf<Case['file_analysis_status']>().toEqualTypeOf<Observed['case']['file_analysis_status']>();
expectTypeOf<components['schemas']['FileSummary']['analysis_completed_at']>().toEqualTypeOf<string | null>();
expectTypeOf<components['schemas']['Error']['error_code']>().toEqualTypeOf<string>();

const setting = '/organisations/features/verification';

export async function call(target: CallTarget): Promise<Observed> {
  const client = createClient<paths>({ baseUrl: target.base_url, headers: { 'x-api-key': target.owner_key } });
  const cases = createClient<paths>({
    baseUrl: target.case_base_url,
    headers: { Authorization: `Bearer ${target.access_token}` },
  });
  const off = await client.PUT(setting, { body: { enabled: false } });
  const on = await client.PUT(setting, { body: { enabled: true } });
  const read = await client.GET(setting);
  const found = await cases.GET('/cases/{id}', { params: { path: { id: target.case_id } } });
  const missing = await cases.GET('/cases/{id}', { params: { path: { id: unknownCaseId } } });
  const refused = await client.GET(setting, { headers: { 'x-api-key': unknownKey } });
  if (!off.data || !on.data || !read.data || !found.data || !missing.error || !refused.error)
    throw new Error('a response is not of the kind that was expected');
  return {
    enabled: [off.data.enabled, on.data.enabled, read.data.enabled],
    case: found.data,
    files: found.data.files,
    unknownCase: [missing.response.status, missing.error.error_code],
    unknownKey: [refused.response.status, refused.error.error_code],
  };
}
