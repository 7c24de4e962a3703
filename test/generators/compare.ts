import { deepStrictEqual } from 'node:assert';
import type { CallTarget, Observed } from './observed.ts';

/**
 * Compares what a generated client saw with what a plain request sees.
 * @throws {Error} if they differ
 */
export async function compareWithPlainRequest(observed: Observed, target: CallTarget): Promise<void> {
  deepStrictEqual(essence(observed), await expected(target));
}

async function expected({ case_base_url, case_id, access_token }: CallTarget): Promise<Observed> {
  const headers = { Authorization: `Bearer ${access_token}` };
  const found = (await (await fetch(`${case_base_url}/cases/${case_id}`, { headers })).json()) as Observed['case'] &
    Pick<Observed, 'files'>;
  return essence({
    enabled: [false, true, true],
    case: found,
    files: found.files,
    unknownCase: [404, 'request.cases.case.not-found'],
    unknownKey: [401, 'request.authentication.invalid-token'],
  });
}

/** Only the fields that every caller reports. */
function essence({ case: found, files, ...others }: Observed): Observed {
  const { case_id, label, locked_at, file_analysis_status, total_files } = found;
  return {
    ...others,
    case: { case_id, label, locked_at, file_analysis_status, total_files },
    files: files.map(({ file_id, analysis_status, analysis_completed_at }) => {
      return { file_id, analysis_status, analysis_completed_at };
    }),
  };
}
