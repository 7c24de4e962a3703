import type { Mutation } from './mutation.ts';

/** Values of another type that no server takes for the right one; a lenient one may read `"1"` as a number. */
const otherTypes = /(^|(?<!extra-field)\.)(null|integer|string|array|object)$/;

/** What no server can take for an allowed value, whatever it makes of strings, spaces and formats. */
const clearlyWrong = /(^|\.)(missing|all-missing|extra-field\.unexpected|(below|above)-(min|max)[a-z-]*|not-multiple)$/;

/** Whether a mutation clearly breaks the schema, so that any server that checks requests refuses it. */
export function isPlainlyInvalid({ name }: Pick<Mutation, 'name'>): boolean {
  return otherTypes.test(name) || clearlyWrong.test(name);
}

/** Whether a mutation is a value that the schema names: one of an enumeration, or a bound. */
export function isNamedValue({ name }: Pick<Mutation, 'name'>): boolean {
  return /(^|\.)(enum-\d+|minimum|maximum)$/.test(name);
}
