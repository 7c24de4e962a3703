import type { Baseline } from './baseline.ts';
import type { Mutation } from './schema/mutation.ts';
import { mutationsOf } from './schema/mutations.ts';
import { lenientOracleOf } from './schema/oracle.ts';
import { isPlainlyInvalid } from './schema/telling.ts';

/** The JSON bodies that any server refuses which checks requests against its document. */
export function plainlyInvalidBodies({ json }: Pick<Baseline, 'json'>): Mutation[] {
  if (!json) return [];
  const isInvalid = lenientOracleOf(json.schema);
  return mutationsOf(json.schema, json.valid).filter(
    (mutation) =>
      mutation.lacks === undefined &&
      isPlainlyInvalid(mutation) &&
      isInvalid(mutation.value).length > 0 &&
      // Where a body may be absent, servers take null for none.
      (json.required || mutation.value !== null),
  );
}
