/** Rights that the operator gives and takes while requests are sent: each request gets what holds at that moment. */
import type { Check, CheckContext, CredentialName, Operator, RequestSpec } from '../run/model.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectStatus,
  operatorOf,
  readCase,
  readSetting,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rules.ts';

const feature = 'verification';
const [read, write] = ['organisation_settings:read', 'organisation_settings:write'] as const;

interface Change {
  readonly title: string;
  readonly rules: readonly string[];
  readonly by: CredentialName;
  /** What gives the right, or takes it. */
  readonly change: (operator: Operator, secret: string, isGiven: boolean) => Promise<void>;
  /** Whether it cannot be given again. */
  readonly isFinal?: boolean;
  readonly requests: readonly ('read' | 'update' | 'case')[];
  /** The status without it. */
  readonly refused: 401 | 403;
}

const ofRole =
  (permission: string): Change['change'] =>
  (operator, secret, isGiven) =>
    operator.setPermission(secret, permission, isGiven);
const revocation: Change['change'] = (operator, secret) => operator.revokeCredential(secret);

const changes: Readonly<Record<string, Change>> = {
  feature: {
    title: 'a feature that an organisation is given, or that is taken from it,',
    rules: ['4.1-R3', '4.2-R3', '3.1-S4'],
    by: 'feature_off_key',
    change: (operator, secret, isGiven) => operator.setFeature(secret, feature, isGiven),
    requests: ['read', 'update'],
    refused: 403,
  },
  'permission-to-read': {
    title: 'a permission to read that a role is given, or that is taken from it,',
    rules: ['4.1-R2', '5-A2', 'D20'],
    by: 'viewer_key',
    change: ofRole(read),
    requests: ['read'],
    refused: 403,
  },
  'permission-to-write': {
    title: 'a permission to write that a role is given, or that is taken from it,',
    rules: ['4.2-R2', '5-A2', '3.1-S4', 'D20'],
    by: 'member_key',
    change: ofRole(write),
    requests: ['update'],
    refused: 403,
  },
  'revoked-key': {
    title: 'the revocation of a key',
    rules: ['5-A1', 'D22'],
    by: 'revocable_key',
    change: revocation,
    isFinal: true,
    requests: ['read', 'update'],
    refused: 401,
  },
  'revoked-token': {
    title: 'the revocation of a token',
    rules: ['5-S2', 'D22'],
    by: 'revocable_token',
    change: revocation,
    isFinal: true,
    requests: ['case'],
    refused: 401,
  },
};

/** One check for each kind of change. */
export const rightsChecks: readonly Check[] = Object.entries(changes).map(([what, each]) =>
  ruleCheck({
    id: `5-A2.changed-${what}`,
    title: `${each.title} counts from the next request on`,
    rules: each.rules,
    needs: ['operator', each.by, ...(each.requests.includes('case') ? (['case_id'] as const) : [])],
    run: (context) => runChange(each, context),
  }),
);

async function runChange({ by, change, isFinal = false, requests, refused }: Change, context: CheckContext) {
  const [operator, secret] = [operatorOf(context), context.credential(by)];
  const expectAll = async (isGiven: boolean, when: string) => {
    for (const kind of requests) {
      const response = await context.call(requestOf(kind, secret, context));
      expectStatus(response, `${by}, ${when}, for ${kind}`, isGiven ? 200 : refused);
    }
  };
  await expectAll(isFinal, 'before the change');
  for (const isGiven of isFinal ? [false] : [true, false]) {
    await change(operator, secret, isGiven);
    await expectAll(isGiven, isGiven ? 'once it has the right' : 'once the right is gone');
  }
}

function requestOf(kind: Change['requests'][number], secret: string, context: CheckContext): RequestSpec {
  if (kind === 'case') return readCase(context.credential('case_id'), bearer(secret));
  return kind === 'read' ? readSetting(apiKey(secret)) : updateSetting(enabledBody(false), apiKey(secret));
}
