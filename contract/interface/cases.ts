import { isDeepStrictEqual } from 'node:util';
import type { CheckContext, CredentialName } from '../run/model.ts';
import { brokenFields, caseFields } from './case-fields.ts';
import { expectResponse, expectThat, objectOf } from './expect.ts';
import { bearer, readCase } from './requests.ts';

/** A case in the credentials, with the token that may read it. */
export interface KnownCase {
  readonly id: 'case_id' | 'empty_case_id' | 'other_case_id';
  readonly token: 'access_token' | 'other_access_token';
}

export const knownCases: readonly KnownCase[] = [
  { id: 'case_id', token: 'access_token' },
  { id: 'empty_case_id', token: 'access_token' },
  { id: 'other_case_id', token: 'other_access_token' },
];

export type CaseBody = Record<string, unknown> & { files: Record<string, unknown>[] };

export function needsOf({ id, token }: KnownCase): CredentialName[] {
  return [id, token];
}

/** Reads an existing case and checks its fields against section 2.3. */
export async function readKnownCase(context: CheckContext, { id, token }: KnownCase): Promise<CaseBody> {
  const response = await context.call(readCase(context.credential(id), bearer(context.credential(token))));
  expectResponse(response, `${token} reading ${id}`, 200);
  const body = objectOf(response, id);
  const broken = brokenFields(caseFields, body);
  expectThat(broken.length === 0, `the fields of section 2.3 in ${id}`, broken.join('; '));
  return body as CaseBody;
}

const times = [
  'locked_at',
  'file_analysis_completed_at',
  'created_at',
  'updated_at',
  'uploaded_at',
  'analysis_completed_at',
];

/**
 * Whether two responses represent the same case, ignoring the order of members and the spelling of times and numbers.
 */
export function isSameCase(a: object, b: object): boolean {
  return isDeepStrictEqual(withMoments(a), withMoments(b));
}

function withMoments(part: object): object {
  const fields = Object.entries(part).map(([name, value]: [string, unknown]) => {
    if (name === 'files' && Array.isArray(value)) return [name, value.map((file: object) => withMoments(file))];
    if (times.includes(name) && typeof value === 'string') return [name, Date.parse(value)];
    // -0 is 0.
    return [name, typeof value === 'number' ? value + 0 : value];
  });
  return Object.fromEntries(fields) as object;
}
