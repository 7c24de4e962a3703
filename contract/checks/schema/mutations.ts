import type { Schema } from '../../document/model.ts';
import { boundaryMutations } from './boundaries.ts';
import { lifted, type Mutation, wholeMutations } from './mutation.ts';
import { extraFieldMutations, missingMutations } from './object-fields.ts';
import { oracleOf } from './oracle.ts';
import { sampleOf } from './sample.ts';
import { typeMutations } from './wrong-types.ts';

/** Absent fields are mutated only to this depth, because there can be very many. */
const deepestAbsent = 3;

/**
 * Every value that differs from a valid one in a single respect of the schema, at any depth. A recursive schema is
 * followed as deep as the valid value goes. The oracle decides which values are invalid.
 * @param outer the schemas that contain this one
 */
export function mutationsOf(schema: Schema, valid: unknown, outer: readonly Schema[] = []): Mutation[] {
  const chain = [...outer, schema];
  const found = [
    ...typeMutations(valid),
    ...boundaryMutations(schema, valid),
    ...arrayMutations(schema, valid, chain),
    ...objectMutations(schema, valid, chain),
    ...composedOf(schema, valid).flatMap((part) => mutationsOf(part, valid, chain)),
  ];
  const names = found.map(({ name }) => name);
  return found.filter(({ name }, index) => names.indexOf(name) === index);
}

function arrayMutations(schema: Schema, valid: unknown, chain: readonly Schema[]): Mutation[] {
  if (schema.type !== 'array' || !Array.isArray(valid)) return [];
  const { items = {}, minItems, maxItems } = schema;
  const [first = sampleOf(items), ...rest] = valid as unknown[];
  const itemMutations = valid.length === 0 && chain.includes(items) ? [] : partMutations(items, first, chain);
  const ofLength = (length: number) => Array.from({ length }, () => first);
  return [
    ...wholeMutations({
      ...(minItems !== undefined && { 'min-items': ofLength(minItems), 'below-min-items': ofLength(minItems - 1) }),
      ...(maxItems !== undefined && { 'max-items': ofLength(maxItems), 'above-max-items': ofLength(maxItems + 1) }),
      ...(schema['uniqueItems'] === true && { 'repeated-item': [first, first] }),
    }),
    ...lifted('0', itemMutations, (item) => [item, ...rest]),
  ];
}

function objectMutations(schema: Schema, valid: unknown, chain: readonly Schema[]): Mutation[] {
  if (typeof valid !== 'object' || valid === null || Array.isArray(valid)) return [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    // Clients do not send read-only fields.
    if (property['readOnly'] === true) return [];
    const isGiven = Object.hasOwn(valid, name);
    if (!isGiven && (chain.includes(property) || chain.length > deepestAbsent)) return [];
    const sound = isGiven ? (valid as Record<string, unknown>)[name] : sampleOf(property);
    return lifted(name, partMutations(property, sound, chain), (value) => ({ ...valid, [name]: value }));
  });
  return [...missingMutations(schema, valid), ...extraFieldMutations(schema, valid), ...fields];
}

/** Mutates a part, if it is valid: a mutation of an invalid part shows nothing. */
function partMutations(schema: Schema, part: unknown, chain: readonly Schema[]): Mutation[] {
  if (oracleOf(schema)(part).length === 0) return mutationsOf(schema, part, chain);
  return [{ name: 'violations', value: undefined, lacks: 'a valid example of each field of the body' }];
}

/**
 * The parts of a composition. Skips alternatives that the valid object does not match, whose fields would be extra
 * fields.
 */
function composedOf(schema: Schema, valid: unknown): Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema as Record<string, Schema[] | undefined>;
  const isObject = typeof valid === 'object' && valid !== null;
  const alternatives = [...anyOf, ...oneOf].filter((part) => !isObject || oracleOf(part)(valid).length === 0);
  return [...allOf, ...alternatives];
}
