import { operations } from '../../generated/operations.ts';

export const verificationFeature = 'verification';

export interface Organisation {
  organisation_id: string;
  name: string;
  created_at: string;
  features: string[];
  verification_enabled: boolean;
}

/** A role and the permissions of its API keys. Both are data that the operator changes (decision D20). */
export interface Role {
  role: string;
  permissions: string[];
}

export const declaredPermissions: readonly string[] = distinct(
  Object.values(operations).map((operation) => operation.requiredPermission),
);

export const declaredFeatures: readonly string[] = distinct(
  Object.values(operations).map((operation) => operation.requiredFeature),
);

function distinct(values: (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort();
}
