import { parameterStyles } from '../message-parts.ts';
import type { RawDocument, RawParameter } from '../raw.ts';
import { type Fault, type Place, placedOperations, type PlacedOperation, repeated } from './fault.ts';

export type PlacedParameter = Partial<RawParameter> & { readonly place: Place };

/** Parameters that are invalid or do not match the path. */
export function* parameterFaults(document: RawDocument): Iterable<Fault> {
  const known = new Set<string>();
  for (const placed of placedOperations(document))
    for (const fault of [...faultsOfLists(placed), ...templateFaults(placed)]) {
      // Reports a fault in a parameter of the path once, not for each operation.
      const key = JSON.stringify(fault);
      if (!known.has(key)) yield fault;
      known.add(key);
    }
}

function* faultsOfLists(placed: PlacedOperation): Iterable<Fault> {
  for (const list of listsOf(placed)) {
    for (const parameter of list) yield* parameterFault(parameter);
    for (const [first, ...others] of repeated(list, (parameter) => `${parameter.in} ${parameter.name}`))
      for (const { place } of others)
        yield { place, message: `${described(first)} is listed twice; remove or rename one of the two` };
  }
}

function* parameterFault(parameter: PlacedParameter): Iterable<Fault> {
  const { place, name, in: where } = parameter;
  if (name === undefined || where === undefined || !(where in parameterStyles)) {
    yield { place, message: 'a parameter needs a name, and `in` as path, query, header or cookie; write both' };
    return;
  }
  if (where === 'path' && parameter.required !== true)
    yield { place, message: `${described(parameter)} is not required; write required: true, as OpenAPI demands` };
}

/** Parameters of the template that are not described, and described ones that are not in it. */
function* templateFaults(placed: PlacedOperation): Iterable<Fault> {
  const { path, name, place } = placed;
  const described = listsOf(placed).flat();
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter = '']) => parameter);
  // A broken reference, which is reported elsewhere, may be the missing parameter.
  const hasUnknown = described.some((parameter) => parameter.name === undefined) || hasGaps(placed);
  for (const parameter of described)
    if (parameter.in === 'path' && parameter.name !== undefined && !inTemplate.includes(parameter.name))
      yield {
        place: parameter.place,
        message: `the path parameter ${parameter.name} is not in the path ${path}; write {${parameter.name}} in the path, or remove it`,
      };
  for (const parameter of inTemplate)
    if (!hasUnknown && !described.some((known) => known.in === 'path' && known.name === parameter))
      yield {
        place,
        message: `${name} does not describe the path parameter ${parameter}; write it under parameters, with in: path and required: true`,
      };
  for (const [[parameter]] of repeated(
    inTemplate.map((parameter) => [parameter] as const),
    ([parameter]) => parameter,
  ))
    yield { place: ['paths', path], message: `${path} has {${parameter}} twice; give each parameter its own name` };
}

/** The parameters of the path and those of the operation, without broken references. */
export function listsOf({ path, place, item, operation }: PlacedOperation): PlacedParameter[][] {
  return [
    { at: ['paths', path, 'parameters'], list: item.parameters },
    { at: [...place, 'parameters'], list: operation.parameters },
  ].map(({ at, list = [] }) =>
    [...list.entries()].flatMap(([index, parameter]: [number, RawParameter | undefined]) =>
      parameter ? [{ ...parameter, place: [...at, index] }] : [],
    ),
  );
}

function hasGaps({ item, operation }: PlacedOperation): boolean {
  const all: (RawParameter | undefined)[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  return all.includes(undefined);
}

export function described({ name, in: where }: PlacedParameter): string {
  return `the ${where} parameter ${name}`;
}
