import { operations } from '../../generated/operations.ts';

export const declaredPermissions: readonly string[] = distinct(
  Object.values(operations).map((operation) => operation.requiredPermission),
);

export const declaredFeatures: readonly string[] = distinct(
  Object.values(operations).map((operation) => operation.requiredFeature),
);

function distinct(values: (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))].sort();
}
