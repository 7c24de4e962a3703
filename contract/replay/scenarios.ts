/** How each documented answer is provoked. An answer of the document that is missing here does not compile. */
import type { OperationId, operations } from '../../generated/operations.ts';
import { type DocumentedOperation, contractDocument, documentedOperations } from '../document/document.ts';
import type { CredentialName, Credentials, Need, RequestSpec } from '../run/model.ts';

/** What a request must be, and what must be so beforehand, for one documented answer. */
export interface Scenario {
  /** The credential that is sent as the operation's security scheme says. */
  readonly credential?: CredentialName;
  /** Sent in place of a credential that the target has given. */
  readonly secret?: string;
  /** The identifier that stands in the path. */
  readonly id?: CredentialName;
  readonly contentType?: string;
  readonly body?: string;
  readonly given?: 'exhausted-quota' | 'broken-store';
  /** The status code that stands for `default`. */
  readonly status?: number;
  /** The named example of the document that the answer's body must equal. */
  readonly example?: string;
  /** The rules of the interface document that it shows. */
  readonly rules?: readonly string[];
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
const update = JSON.stringify({ enabled: true });
const invalidUpdate = JSON.stringify({ enabled: 'true', force: true });
const exhausted = { given: 'exhausted-quota', example: 'rate-limit-exceeded' } as const;
const broken = { given: 'broken-store', status: 500, example: 'internal-error' } as const;

// A limit is used up for a credential that the other checks need least, and never by updates that succeed.
const allScenarios: Scenarios = {
  getVerificationSetting: {
    200: { credential: 'owner_key' },
    401: { credential: 'revoked_key', example: 'invalid-token' },
    403: { credential: 'feature_off_key', example: 'feature-not-enabled', rules: ['4.1-R3'] },
    429: { credential: 'member_key', ...exhausted },
    default: { credential: 'owner_key', ...broken },
  },
  updateVerificationSetting: {
    200: { credential: 'owner_key', body: update },
    400: { credential: 'owner_key', body: invalidUpdate, example: 'enabled-not-boolean', rules: ['4.2-R1'] },
    401: { body: update, example: 'invalid-token' },
    403: { credential: 'viewer_key', body: update, example: 'permission-missing', rules: ['4.2-R2'] },
    413: { credential: 'owner_key', body: update.padEnd(bodyLimitBytes + 1), example: 'body-too-large' },
    415: { credential: 'owner_key', contentType: 'text/plain', body: update, example: 'media-type-unsupported' },
    429: { credential: 'viewer_key', body: update, ...exhausted },
    default: { credential: 'owner_key', body: update, ...broken },
  },
  getCase: {
    200: { credential: 'access_token', id: 'case_id' },
    401: { secret: 'unknown', id: 'case_id', example: 'invalid-token' },
    404: { credential: 'access_token', id: 'other_case_id', example: 'case-not-found' },
    429: { credential: 'other_access_token', id: 'other_case_id', ...exhausted },
    default: { credential: 'access_token', id: 'case_id', ...broken },
  },
};

/** The scenario of a documented answer. */
export function findScenario(operationId: string, status: string): Scenario | undefined {
  return (allScenarios as Record<string, Record<string, Scenario>>)[operationId]?.[status];
}

/** What the target must have for the scenario. */
export function needsOf({ credential, id, given }: Scenario): Need[] {
  return [
    ...[credential, id].filter((name) => name !== undefined),
    ...(given === 'exhausted-quota' ? (['exhausting-limits'] as const) : []),
    ...(given === 'broken-store' ? (['operator'] as const) : []),
  ];
}

/** The scenario's request to an operation, without the headers that depend on neither. */
export function requestOf(scenario: Scenario, operationId: string, credentials: Credentials): RequestSpec {
  const operation = documentedOperations.find((candidate) => candidate.operationId === operationId);
  if (!operation) throw new Error(`The document has no operation ${operationId}.`);
  const secret = scenario.credential === undefined ? scenario.secret : credentials[scenario.credential];
  const id = scenario.id === undefined ? '' : encodeURIComponent(credentials[scenario.id] ?? '');
  return {
    method: operation.method.toUpperCase(),
    path: operation.path.replace(/\{[^}]+\}/, id),
    headers: [
      ...(secret === undefined ? [] : [credentialHeader(operation, secret)]),
      ...(scenario.body === undefined ? [] : [['Content-Type', scenario.contentType ?? 'application/json'] as const]),
    ],
    ...(scenario.body !== undefined && { body: scenario.body }),
  };
}

function credentialHeader({ security }: DocumentedOperation, secret: string): readonly [string, string] {
  const [schemeName = ''] = Object.keys(security[0] ?? {});
  const scheme = contractDocument.components.securitySchemes[schemeName];
  return scheme?.type === 'apiKey' ? [scheme.name, secret] : ['Authorization', `Bearer ${secret}`];
}
