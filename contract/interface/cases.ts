import type { CheckContext, CredentialName } from '../run/model.ts';
import { brokenFields, caseFields } from './case-fields.ts';
import { expectResponse, expectThat, objectOf } from './expect.ts';
import { bearer, readCase } from './requests.ts';

/** A case that the credentials name, with the token that may read it. */
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

/** Reads a case that must be there, and checks its fields against section 2.3. */
export async function readKnownCase(context: CheckContext, { id, token }: KnownCase): Promise<CaseBody> {
  const response = await context.call(readCase(context.credential(id), bearer(context.credential(token))));
  expectResponse(response, `${token} reading ${id}`, 200);
  const body = objectOf(response, id);
  const broken = brokenFields(caseFields, body);
  expectThat(broken.length === 0, `the fields of section 2.3 in ${id}`, `other than ${broken.join('; ')}`);
  return body as CaseBody;
}
