/** How each documented answer is provoked. An answer of the document that is missing here does not compile. */
// @ts-nocheck

import type { operations, OperationId } from '../../generated/operations.js';
import type { Demo } from './server.js';

/** What a request must be, and what must be so beforehand, for one documented answer. */
export interface Scenario {
  /** Set beside Dredd's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly body?: string;
  readonly given?: 'exhausted-quota' | 'broken-store';
  /** The status code that stands for `default`. */
  readonly status?: number;
  /** The named example of the document that the answer's body must equal. */
  readonly example?: string;
}

type ErrorScenario = Scenario & { readonly example: string };
type DefaultScenario = ErrorScenario & { readonly status: number };

type Scenarios = {
  readonly [Id in OperationId]: {
    readonly [Status in (typeof operations)[Id]['statuses'][number]]: Status extends 'default'
      ? DefaultScenario
      : Status extends `2${string}`
        ? Scenario
        : ErrorScenario;
  };
};

const bodyLimitBytes = 16 * 1024;

/** The scenarios against a server that holds this demo data. */
export function createScenarios(demo: Demo): Scenarios {
  const owner = { 'x-api-key': demo.owner_key };
  const member = { 'x-api-key': demo.member_key };
  const viewer = { 'x-api-key': demo.viewer_key };
  const revoked = { 'x-api-key': demo.revoked_key };
  const withoutFeature = { 'x-api-key': demo.feature_off_key };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const ownCase = `${demo.case_base_url}/cases/${demo.case_id}`;
  const foreignCase = `${demo.case_base_url}/cases/${demo.other_case_id}`;
  const update = JSON.stringify({ enabled: true });
  const exhausted = { given: 'exhausted-quota', example: 'rate-limit-exceeded' } as const;
  const broken = { given: 'broken-store', status: 500, example: 'internal-error' } as const;

  return {
    getVerificationSetting: {
      200: { headers: owner },
      401: { headers: revoked, example: 'invalid-token' },
      403: { headers: withoutFeature, example: 'feature-not-enabled' },
      429: { headers: member, ...exhausted },
      default: { headers: owner, ...broken },
    },
    updateVerificationSetting: {
      200: { headers: owner, body: update },
      400: {
        headers: owner,
        body: JSON.stringify({ enabled: 'true', force: true }),
        example: 'enabled-not-boolean',
      },
      401: { body: update, example: 'invalid-token' },
      403: { headers: viewer, body: update, example: 'permission-missing' },
      413: { headers: owner, body: update.padEnd(bodyLimitBytes + 1), example: 'body-too-large' },
      415: {
        headers: { ...owner, 'Content-Type': 'text/plain' },
        body: update,
        example: 'media-type-unsupported',
      },
      429: { headers: member, body: update, ...exhausted },
      default: { headers: owner, body: update, ...broken },
    },
    getCase: {
      200: { headers: bearer(demo.access_token), url: ownCase },
      401: { headers: bearer('unknown'), url: ownCase, example: 'invalid-token' },
      404: { headers: bearer(demo.access_token), url: foreignCase, example: 'case-not-found' },
      429: { headers: bearer(demo.other_access_token), url: foreignCase, ...exhausted },
      default: { headers: bearer(demo.access_token), url: ownCase, ...broken },
    },
  };
}
