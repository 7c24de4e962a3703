/** What the operations of this API do with a valid request: sections 3.1, 4.1 to 4.3 of the interface, and decisions D16 and D21. */
import { isDeepStrictEqual } from 'node:util';
import type { Principal, World } from '../oracle/world.ts';
import { decodedSegment } from '../oracle/parameters.ts';
import { apiKey, enabledBody, settingIn, updateSetting } from './requests.ts';
import type { CheckContext, RequestSpec } from '../run/model.ts';

/** What a success must be. */
export interface Success {
  readonly bodyFault?: (body: unknown) => string | undefined;
  readonly saves?: boolean;
  readonly after?: (body: unknown) => void;
}

/** By operationId. Of other operations, only what the document says is expected. */
export const outcomes: Readonly<
  Record<string, (request: RequestSpec, world: World, caller: Principal | undefined) => Success | 'not-found'>
> = {
  getVerificationSetting: (_request, world) => ({
    bodyFault: (body) => settingFault(body, world.setting),
    after: (body) => void (world.setting ??= settingIn(body)),
  }),

  updateVerificationSetting: ({ body = '' }, world) => {
    const enabled = settingIn(JSON.parse(new TextDecoder().decode(Buffer.from(body))));
    return {
      ...(enabled !== undefined && { saves: enabled }),
      bodyFault: (saved) => settingFault(saved, enabled),
      after: () => void (world.setting = enabled),
    };
  },

  getCase: ({ path }, { cases }, caller) => {
    const id = decodedSegment(path.replace(/\?.*/s, '').split('/').at(-1) ?? '').toLowerCase();
    const known = cases.get(id);
    if (!known || known.organisation !== caller?.organisation) return 'not-found';
    return {
      bodyFault: (body) => {
        const { case_id: came } = (body ?? {}) as { case_id?: unknown };
        if (String(came).toLowerCase() !== id) return `expected the case ${id}, got ${String(came)}`;
        if (known.content !== undefined && !sameCase(body, known.content))
          return 'expected the case as it was read before';
        return filesFault(body as CaseBody, id, cases);
      },
      after: (body) => void (known.content ??= body),
    };
  },
};

interface CaseBody {
  readonly files: readonly { readonly file_id: string; readonly analysis_completed_at?: unknown }[];
  readonly total_files: number;
  readonly file_analysis_status: string;
}

/** What the interface says of the files of a case (2.3), and the credentials of what the target has. */
function filesFault(body: CaseBody, id: string, cases: World['cases']): string | undefined {
  const [files, total] = [filesOf(body), body.total_files];
  const expected = cases.get(id)?.hasFiles;
  // Whether its fields are right is another rule.
  if (files && expected !== undefined && (files.length > 0 && total > 0) !== expected)
    return `expected ${expected ? '' : 'no '}files, got ${files.length}, counted as ${total}`;
  const others = [...cases].flatMap(([other, { content }]) => (other === id ? [] : (filesOf(content) ?? [])));
  const shared = files?.find((file) => others.some(({ file_id: other }) => other === file.file_id));
  return shared && `expected files of its own, got ${shared.file_id}, which another case lists as well`;
}

function filesOf(body: unknown): CaseBody['files'] | undefined {
  const { files } = (body ?? {}) as Partial<CaseBody>;
  return Array.isArray(files) ? (files as CaseBody['files']) : undefined;
}

/** What changes while the files of a case are analysed, beside those files that are not yet. */
const movedByAnalysis = /^(file_analysis_status|file_analysis_completed_at|updated_at)$/;
const time = /^\d{4}-\d\d-\d\dT/i;

/** Whether two bodies are the same case, in any order of members and spelling of times, and as far as analysed. */
export function sameCase(one: unknown, other: unknown): boolean {
  const both = [one, other] as readonly (Partial<CaseBody> | null)[];
  const isWaiting = both.some((body) => body?.file_analysis_status === 'waiting_for_file_analysis');
  const unfinished = both
    .flatMap((body) => (isWaiting && filesOf(body)) || [])
    .filter((file) => !file.analysis_completed_at);
  const moved = new Set(unfinished.map(({ file_id: id }) => id));
  const [a, b] = both.map((body): unknown =>
    JSON.parse(JSON.stringify(body), (name, value: unknown) => {
      if (isWaiting && movedByAnalysis.test(name)) return undefined;
      // An upload moves a file to another place.
      if (isWaiting && name === 'files' && Array.isArray(value))
        return (value as CaseBody['files']).filter(({ file_id: id }) => !moved.has(id));
      return typeof value === 'string' && /_at$/.test(name) && time.test(value) ? Date.parse(value) : value;
    }),
  );
  return isDeepStrictEqual(a, b);
}

function settingFault(body: unknown, expected: boolean | undefined): string | undefined {
  const enabled = settingIn(body);
  if (enabled === undefined) return 'expected a boolean in enabled';
  return expected === undefined || enabled === expected ? undefined : `expected enabled ${expected}, got ${enabled}`;
}

/** An update that switches the setting on or off. */
export function switched(isOn: boolean, { credential }: Pick<CheckContext, 'credential'>): RequestSpec {
  return updateSetting(enabledBody(isOn), apiKey(credential('owner_key')));
}
