import { randomUUID } from 'node:crypto';
import { generateSecret } from '../../src/domain/secret.ts';
import { requestBytes } from '../support/connection.ts';
import type { OwnedCase, Tenant } from './store.ts';

/** A request that is sent repeatedly with others of its kind, and the expected status. */
export interface TimedRequest {
  readonly bytes: Buffer;
  readonly status: number;
}

const settingPath = '/organisations/features/verification';

/** Each tenant reads its setting. */
export function readSettings(tenants: readonly Tenant[]): TimedRequest[] {
  return tenants.map(({ apiKey }) => ({
    bytes: requestBytes('GET', settingPath, { 'x-api-key': apiKey }),
    status: 200,
  }));
}

/** Each tenant updates its setting: to a new value, to the same, and so on. */
export function updateSettings(tenants: readonly Tenant[]): TimedRequest[] {
  return [true, true, false, false].flatMap((enabled) =>
    tenants.map(({ apiKey }) => ({
      bytes: requestBytes('PUT', settingPath, { 'x-api-key': apiKey }, JSON.stringify({ enabled })),
      status: 200,
    })),
  );
}

/** Each tenant sends a body that violates the document. */
export function badBodies(tenants: readonly Tenant[]): TimedRequest[] {
  return tenants.map(({ apiKey }) => ({
    bytes: requestBytes('PUT', settingPath, { 'x-api-key': apiKey }, '{"enabled":"true"}'),
    status: 400,
  }));
}

/** Well-formed keys that were never issued. */
export function badKeys(): TimedRequest[] {
  return Array.from({ length: 100 }, () => ({
    bytes: requestBytes('GET', settingPath, { 'x-api-key': generateSecret('api-key', 'uk') }),
    status: 401,
  }));
}

export function readCases(cases: readonly OwnedCase[]): TimedRequest[] {
  return cases.map(({ caseId, accessToken }) => ({
    bytes: requestBytes('GET', `/cases/${caseId}`, { Authorization: `Bearer ${accessToken}` }),
    status: 200,
  }));
}

/** Unknown cases. */
export function missingCases(tenants: readonly Tenant[]): TimedRequest[] {
  return tenants.map(({ accessToken }) => ({
    bytes: requestBytes('GET', `/cases/${randomUUID()}`, { Authorization: `Bearer ${accessToken}` }),
    status: 404,
  }));
}
