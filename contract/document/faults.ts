import type {
  RawDocument,
  RawOperation,
  RawParameter,
  RawPathItem,
  RawSecurityRequirement,
  RawSecurityScheme,
} from './raw.ts';
import { type Schema, httpMethods } from './model.ts';
import { parameterStyles } from './message-parts.ts';
import { isReference, keysOfPointer, targetOf } from './references.ts';
import { suggestedId } from './operation-ids.ts';

/** The faults that prevent a document from being modelled. Its references are resolved; broken ones are undefined. */
export function* documentFaults(document: RawDocument): Iterable<Fault> {
  for (const key of ['title', 'version'] as const)
    if (typeof (document.info as Partial<RawDocument['info']> | undefined)?.[key] !== 'string')
      yield { place: ['info', key], message: `info.${key} is missing or not a text; write it in quotes` };
  yield* pathFaults(document);
  yield* operationFaults(document);
  yield* parameterFaults(document);
  yield* securityFaults(document);
}

/** A place in the document: the keys from its root, through references. */
export type Place = readonly (string | number)[];

/** A fault of a document. */
export interface Fault {
  /** The keys that lead to it. A fault at an absent key is reported at the nearest key. */
  readonly place: Place;
  /** `the fault; what to write instead`. */
  readonly message: string;
}

/** An operation of a document that may have faults, with the keys that lead to it. */
export interface PlacedOperation {
  readonly place: Place;
  /** Its name in messages: the operationId, or else method and path. */
  readonly name: string;
  readonly path: string;
  readonly item: RawPathItem;
  readonly operation: RawOperation;
}

/** The operations of a document that may have faults. */
export function placedOperations(document: RawDocument): PlacedOperation[] {
  return entriesOf(document.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = (item as RawPathItem | undefined)?.[method] as Partial<RawOperation> | null | undefined;
      if (typeof operation !== 'object' || operation === null) return [];
      const name = operation.operationId ?? `${method.toUpperCase()} ${path}`;
      return [{ place: ['paths', path, method], name, path, item, operation: operation as RawOperation }];
    }),
  );
}

/** The entries of an object; none if the node is not an object. */
export function entriesOf<Value>(node: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return typeof node === 'object' && (node as object | null) !== null ? Object.entries(node) : [];
}

/** The items that share a value, in groups. */
export function repeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): [first: Item, ...others: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1) as [Item, ...Item[]][];
}

/** Duplicate operationIds, and invalid statuses of responses. */
export function* operationFaults(document: RawDocument): Iterable<Fault> {
  const operations = placedOperations(document);
  for (const placed of operations) yield* statusFaults(placed);
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => operation.operationId))
    for (const { place, name } of others)
      yield {
        place: [...place, 'operationId'],
        message: `the operationId ${name} is that of ${String(first.place[2]).toUpperCase()} ${first.path} too; give each operation its own`,
      };
}

/** Paths that no request can have. */
function* pathFaults({ paths }: RawDocument): Iterable<Fault> {
  for (const [path] of entriesOf(paths))
    if (!path.startsWith('/'))
      yield { place: ['paths', path], message: `the path ${path} does not begin with a slash; write /${path}` };
}

/** A path that a path before it matches, too. The suite leaves it out. */
export interface LikePath extends Fault {
  readonly path: string;
}

export function likePaths({ paths }: RawDocument): LikePath[] {
  const templates = entriesOf(paths).map(([path]) => path);
  const groups = repeated(templates, (path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
  return groups.flatMap(([first, ...others]) =>
    others.map((path) => ({
      path,
      place: ['paths', path],
      message: `${path} and ${first} are the same path but for the names of their parameters; describe both under one path`,
    })),
  );
}

function* statusFaults({ place, operation: { responses } }: PlacedOperation): Iterable<Fault> {
  for (const [status] of entriesOf(responses))
    if (!/^([1-5](\d\d|XX)|default)$/.test(status) && !status.startsWith('x-'))
      yield {
        place: [...place, 'responses', status],
        message: `${status} is not a status; write one such as '404', a range such as '5XX', or default`,
      };
}

type PlacedParameter = Partial<RawParameter> & { readonly place: Place };

/** Parameters that are invalid or do not match the path. */
function* parameterFaults(document: RawDocument): Iterable<Fault> {
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

/** Every reference of a document, with the keys that lead to it. */
export function referencesOf(root: unknown): { place: Place; reference: string }[] {
  const found: { place: Place; reference: string }[] = [];
  const path: (string | number)[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isReference(node)) found.push({ place: [...path, '$ref'], reference: node.$ref });
    for (const [key, value] of Object.entries(node)) {
      path.push(Array.isArray(node) ? Number(key) : key);
      visit(value);
      path.pop();
    }
  };
  visit(root);
  return found;
}

/** Local references to nothing. */
export function* brokenReferences(document: object): Iterable<Fault> {
  for (const { place, reference } of referencesOf(document)) {
    if (targetOf(document, reference) !== undefined) continue;
    const keys = keysOfPointer(reference);
    const known = keys.findIndex(
      (_key, index) => targetOf(document, pointerOf(keys.slice(0, index + 1))) === undefined,
    );
    yield brokenReference(place, reference, keys[known] ?? reference.slice(1));
  }
}

export function brokenReference(place: Place, reference: string, missing: string): Fault {
  return { place, message: `${reference} leads nowhere: there is no ${missing}; let $ref name what is there` };
}

/** Circular references, which never lead to a value. */
export function* endlessReferences(bundled: object): Iterable<Fault> {
  for (const { place, reference } of referencesOf(bundled)) {
    const seen = new Set<string>();
    let next: string | undefined = reference;
    while (next !== undefined && !seen.has(next)) {
      seen.add(next);
      const target = targetOf(bundled, next);
      next = isReference(target) ? target.$ref : undefined;
    }
    if (next !== undefined && seen.has(pointerOf(place.slice(0, -1))))
      yield { place, message: `the reference ${reference} leads to itself; let it refer to what it is to stand for` };
  }
}

function pointerOf(place: Place): string {
  return `#/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

/** Security schemes that are required but not described. */
function* securityFaults(document: RawDocument): Iterable<Fault> {
  const schemes = document.components?.securitySchemes;
  const lists: [Place, RawSecurityRequirement[] | undefined][] = [
    [['security'], document.security],
    ...placedOperations(document).map(
      ({ place, operation }) => [[...place, 'security'], operation.security] as [Place, RawSecurityRequirement[]],
    ),
  ];
  for (const [place, requirements] of lists)
    for (const [index, requirement] of (requirements ?? []).entries())
      for (const name of Object.keys(requirement))
        if (schemes === undefined || !Object.hasOwn(schemes, name))
          yield {
            place: [...place, index, name],
            message: `the security scheme ${name} is not described; write it under components/securitySchemes, or name one of those: ${Object.keys(schemes ?? {}).join(', ') || 'none'}`,
          };
}

/**
 * Features of OpenAPI that the generators do not support. The suite accepts such a document: it names operations
 * itself, and reports checks as not run if it cannot make their requests.
 */
export function* unsupportedFaults(document: RawDocument): Iterable<Fault> {
  const parameters = new Map<string, PlacedParameter>();
  for (const placed of placedOperations(document)) {
    const { place, name, path, operation } = placed;
    if (typeof (operation.operationId as unknown) !== 'string')
      yield {
        place,
        message: `${name} has no operationId; write one in camel case, such as operationId: ${suggestedId(String(place.at(-1)), path)}`,
      };
    if (entriesOf(operation.responses).length === 0)
      yield { place, message: `${name} has no responses; write at least the one of success, such as '200'` };
    for (const parameter of listsOf(placed).flat()) parameters.set(JSON.stringify(parameter.place), parameter);
  }
  for (const parameter of parameters.values()) yield* unsupportedParameterFaults(parameter);
  yield* likePaths(document);
  for (const [name, scheme] of entriesOf<RawSecurityScheme | undefined>(document.components?.securitySchemes))
    if (scheme && !isSupported(scheme))
      yield {
        place: ['components', 'securitySchemes', name],
        message: `the security scheme ${name} (${kindOf(scheme)}) is not supported; write type: apiKey with in: header, or type: http with scheme: bearer`,
      };
}

function* unsupportedParameterFaults(parameter: PlacedParameter): Iterable<Fault> {
  const { place, name, in: where, style, content, schema } = parameter;
  if (name === undefined || where === undefined || !(where in parameterStyles)) return;
  const supported = parameterStyles[where];
  if (isObject(schema) || isObject(schema?.items)) {
    yield {
      place,
      message: `${described(parameter)} is made of objects, which is not supported; describe each field as a parameter of its own`,
    };
    return;
  }
  if (style !== undefined && style !== supported)
    yield {
      place: [...place, 'style'],
      message: `${described(parameter)} has the style ${style}, which is not supported; write style: ${supported}, or leave it out`,
    };
  if (content !== undefined)
    yield {
      place: [...place, 'content'],
      message: `${described(parameter)} is described by content, which is not supported; describe it by schema`,
    };
  else if (schema === undefined)
    yield { place, message: `${described(parameter)} has no schema; write one, such as schema: { type: string }` };
  else if (!isReadable((schema.type === 'array' ? schema.items : schema) ?? {}))
    yield {
      place: [...place, 'schema'],
      message: `the schema of ${described(parameter)} has no type by which a text could be read; write type: string, integer, number or boolean in it, or in the items of its array`,
    };
}

/** Whether a text can be read as a value of the schema: by its type, or as text if it says nothing of values. */
function isReadable({ type, ...schema }: Schema): boolean {
  if (type === undefined) return !['allOf', 'anyOf', 'oneOf', 'not', 'enum'].some((keyword) => keyword in schema);
  return ['string', 'integer', 'number', 'boolean'].includes(type);
}

function isObject(schema: Schema | undefined): boolean {
  return schema !== undefined && (schema.type === 'object' || schema.properties !== undefined);
}

function isSupported({ type, in: where, name, scheme }: RawSecurityScheme): boolean {
  return type === 'apiKey' ? where === 'header' && name !== undefined : type === 'http' && isBearer(scheme);
}

function isBearer(scheme: string | undefined): boolean {
  return scheme?.toLowerCase() === 'bearer';
}

function kindOf({ type, in: where, scheme }: RawSecurityScheme): string {
  return [type, scheme, where && `in ${where}`].filter((word) => word !== undefined).join(' ');
}
