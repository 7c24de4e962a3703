import type { Schema } from '../../document/model.ts';
import type { Mutation } from './mutation.ts';

const extraNames = ['unexpected', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '$ref', '0'];

/** The object without each of its required fields, and without all of them. */
export function missingMutations({ required = [] }: Schema, valid: object): Mutation[] {
  const each = required.map((name) => ({ name: `${name}.missing`, value: withFields(valid, {}, [name]) }));
  return required.length > 1 ? [...each, { name: 'all-missing', value: withFields(valid, {}, required) }] : each;
}

/** The object with each of many undeclared fields, if its schema forbids them. */
export function extraFieldMutations(schema: Schema, valid: object): Mutation[] {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties !== false && schema['unevaluatedProperties'] !== false) return [];
  const fields = valid as Record<string, unknown>;
  const spellings = Object.keys(properties).flatMap((name) =>
    spellingsOf(name).map((spelling) => ({ name, spelling, field: { [spelling]: fields[name] ?? null } })),
  );
  return [
    ...extraNames.map((name) => ({
      name: `extra-field.${name === '' ? 'empty-name' : name}`,
      value: withFields(valid, { [name]: {} }),
    })),
    { name: 'extra-field.null', value: withFields(valid, { unexpected: null }) },
    { name: 'extra-field.two', value: withFields(valid, { first: 1, 'second/~': 2 }) },
    ...spellings.flatMap(({ name, spelling, field }) => [
      { name: `extra-field.${readable(spelling)}`, value: withFields(valid, field) },
      { name: `${name}.renamed-${readable(spelling)}`, value: withFields(valid, field, [name]) },
    ]),
  ];
}

function spellingsOf(name: string): string[] {
  const capitalised = name.charAt(0).toUpperCase() + name.slice(1);
  const spellings = new Set([name.toUpperCase(), capitalised, name.toLowerCase(), ` ${name}`, `${name} `]);
  return [...spellings].filter((spelling) => spelling !== name);
}

function readable(spelling: string): string {
  return spelling.replaceAll(' ', '(space)');
}

/** Copies the object; a field named `__proto__` is copied like any other. */
function withFields(valid: object, added: Record<string, unknown>, removed: readonly string[] = []): object {
  const kept = Object.entries(valid).filter(([name]) => !removed.includes(name));
  return Object.fromEntries([...kept, ...Object.entries(added)]);
}
