import type { Mutation } from './mutation.ts';

/** Values of another type that no server accepts; a lenient one may read `"1"` as a number. */
const otherTypes = /(^|(?<!extra-field)\.)(null|integer|string|array|object)$/;

/** Values that no server can accept, however it treats strings, spaces and formats. */
const clearlyWrong = /(^|\.)(missing|all-missing|extra-field\.unexpected|(below|above)-(min|max)[a-z-]*|not-multiple)$/;

/** Whether a mutation clearly violates the schema, so that every server that validates requests refuses it. */
export function isPlainlyInvalid({ name }: Pick<Mutation, 'name'>): boolean {
  return otherTypes.test(name) || clearlyWrong.test(name);
}

/** Whether a mutation is a value that the schema states: an enum value, or a bound. */
export function isNamedValue({ name }: Pick<Mutation, 'name'>): boolean {
  return /(^|\.)(enum-\d+|minimum|maximum)$/.test(name);
}
