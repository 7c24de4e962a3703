import type { Baseline } from './baseline.ts';
import type { Mutation } from './schema/mutation.ts';
import { mutationsOf } from './schema/mutations.ts';
import { lenientOracleOf } from './schema/oracle.ts';
import { isPlainlyInvalid } from './schema/telling.ts';

/** A mutation of an operation's valid body, as it is sent. */
export interface MutatedBody extends Mutation {
  readonly text: string;
}

/** The JSON or form bodies that every server refuses if it validates requests against its document. */
export function plainlyInvalidBodies({ json, form }: Pick<Baseline, 'json' | 'form'>): MutatedBody[] {
  const body = json ?? form;
  if (!body) return [];
  const faultsOf = lenientOracleOf(body.schema);
  return mutationsOf(body.schema, body.valid).flatMap((mutation) => {
    // Where a body may be absent, servers take null for none.
    const isNone = mutation.value === null && !body.required;
    if (mutation.lacks !== undefined || !isPlainlyInvalid(mutation) || isNone) return [];
    const text = body.textOf(mutation.value);
    return text !== undefined && faultsOf(body.valueOf(text)).length > 0 ? [{ ...mutation, text }] : [];
  });
}
