/** A value made from a valid one by one change. */
export interface Mutation {
  /** What was changed, as in `address.street.null`. */
  readonly name: string;
  readonly value: unknown;
  /** What the document would have to say before it can be made. */
  readonly lacks?: string;
}

/** Mutations of a value as a whole, from their names. */
export function wholeMutations(values: Readonly<Record<string, unknown>>): Mutation[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Mutations of a part as mutations of what holds it. */
export function lifted(part: string, mutations: readonly Mutation[], hold: (value: unknown) => unknown): Mutation[] {
  return mutations.map((mutation) => ({
    ...mutation,
    name: `${part}.${mutation.name}`,
    value: hold(mutation.value),
  }));
}
