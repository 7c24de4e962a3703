/** A value made from a valid one by a single change. */
export interface Mutation {
  /** What was changed, as in `address.street.null`. */
  readonly name: string;
  readonly value: unknown;
  /** What is missing from the document to make the mutation. */
  readonly lacks?: string;
}

/** Mutations of a whole value, by name. */
export function wholeMutations(values: Readonly<Record<string, unknown>>): Mutation[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Turns mutations of a part into mutations of its container. */
export function lifted(part: string, mutations: readonly Mutation[], hold: (value: unknown) => unknown): Mutation[] {
  return mutations.map((mutation) => ({
    ...mutation,
    name: `${part}.${mutation.name}`,
    value: hold(mutation.value),
  }));
}
