/** What the peers share: their environment, authentication, refusals, headers and log, all as the program itself has them. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { type Logger, pino } from 'pino';
import type { ErrorCode } from '../../generated/errors.ts';
import type { OperationId } from '../../generated/operations.ts';
import { type ErrorBody, Refusal } from '../../src/api/errors.ts';
import {
  credentialState,
  type CredentialKind,
  hashesMatch,
  hashSecret,
  isWellFormedSecret,
} from '../../src/domain/credential.ts';
import { destination } from './log-file.ts';
import * as store from './peer-store.ts';

/** Higher than any run can reach: requests are counted, but never refused. */
export const unreachableLimit = 1_000_000_000;
export const rateLimitWindowMilliseconds = 60_000;

/** The project's document, as the server itself reads it. */
export const documentText = readFileSync('generated/openapi.json', 'utf8');

export interface Caller {
  readonly credentialId: string;
  readonly organisationId: string;
  readonly permissions: readonly string[];
  readonly features: readonly string[];
}

/** Finds the caller by the credential in the header for this kind. */
export function authenticate(headers: IncomingHttpHeaders, kind: CredentialKind): Caller | undefined {
  const secret = kind === 'api-key' ? headers['x-api-key'] : /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (typeof secret !== 'string' || !isWellFormedSecret(secret, kind, 'uk')) return undefined;
  const hash = hashSecret(secret);
  const row = store.findCredential(hash);
  if (!row || row.kind !== kind || !hashesMatch(row.secret_sha256, hash)) return undefined;
  if (credentialState(row, new Date()) !== 'active') return undefined;
  return {
    credentialId: row.credential_id,
    organisationId: row.organisation_id,
    permissions: JSON.parse(row.permissions) as string[],
    features: JSON.parse(row.features) as string[],
  };
}

/** The body of the refusal of a caller who lacks what the operation requires. */
export function missingRight({ permissions, features }: Caller, permission: unknown, feature: unknown) {
  if (typeof permission === 'string' && !permissions.includes(permission)) return refusalBody('request.forbidden');
  if (typeof feature === 'string' && !features.includes(feature))
    return refusalBody('request.organisations.feature-flag.not-enabled');
  return undefined;
}

/** A request of an authenticated caller. */
interface Asked {
  readonly caller: Caller;
  readonly requestId: string;
  readonly caseId: string | undefined;
  readonly body: unknown;
}

type Responder = (asked: Asked) => readonly [status: number, body: object];

export const responders: Readonly<Record<OperationId, Responder>> = {
  getVerificationSetting: ({ caller }) => [200, { enabled: store.readSetting(caller.organisationId) }],
  updateVerificationSetting: ({ caller, requestId, body }) => {
    const { enabled } = body as { enabled: boolean };
    store.saveSetting({ ...caller, enabled, requestId });
    return [200, { enabled }];
  },
  getCase: ({ caller, caseId = '' }) => {
    const found = store.readCase(caller.organisationId, caseId.toLowerCase());
    return found ? [200, found] : [404, refusalBody('request.cases.case.not-found')];
  },
};

export function challenge(kind: CredentialKind): string {
  const realm = 'realm="document-analysis-uk"';
  return kind === 'api-key' ? `ApiKey ${realm}` : `Bearer ${realm}, error="invalid_token"`;
}

export function refusalBody(code: ErrorCode, details?: Record<string, unknown>): ErrorBody {
  return new Refusal(code, details && { details }).body;
}

/** The body of the refusal of a request body with these faults. */
export function invalidBody(errors: readonly { field: string; message: string; rule: string }[]): ErrorBody {
  return refusalBody('request.validation.failed', { field: errors[0]?.field, errors });
}

/** Helmet's options for an API, with the same headers as the program's own; it has no option for Cache-Control. */
export const helmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: true },
  xContentTypeOptions: true,
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
} as const;
export const cacheControl = 'no-store';

/** Logs to the file of the run. */
export function createLogger(): Logger {
  return pino({ level: 'info', base: null }, destination);
}
