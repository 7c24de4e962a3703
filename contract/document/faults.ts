/** What is wrong with a document, each fault with its place and what to write instead. */
import { httpMethods, parameterStyles } from './model.ts';
import type { RawDocument, RawOperation, RawParameter, RawPathItem, RawSecurityRequirement } from './raw.ts';

/** A document that cannot be read or modelled. The message lists every fault on a line of its own. */
export class DocumentError extends Error {
  /** Each as `file:line: the fault; what to write instead`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'DocumentError';
    this.faults = faults;
  }
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

/** Makes a fault. */
export const fault = (place: Place, message: string): Fault => ({ place, message });

const says = {
  noText: (key: string) => `info.${key} is missing or not a text; write it in quotes`,
  noSlash: (path: string) => `the path ${path} does not begin with a slash; write /${path}`,
  likePath: (path: string, first: string) =>
    `${path} and ${first} are the same path but for the names of their parameters; describe both under one path`,
  takenId: (id: string, method: string, path: string) =>
    `the operationId ${id} is that of ${method.toUpperCase()} ${path} too; give each operation its own`,
  noStatus: (text: string) => `${text} is not a status; write one such as '404', a range such as '5XX', or default`,
  noParameter: 'a parameter needs a name, and `in` as path, query, header or cookie; write both',
  optional: (parameter: string) => `${parameter} is not required; write required: true, as OpenAPI demands`,
  listedTwice: (parameter: string) => `${parameter} is listed twice; remove or rename one of the two`,
  notInPath: (name: string, path: string) =>
    `the path parameter ${name} is not in the path ${path}; write {${name}} in the path, or remove it`,
  notDescribed: (operation: string, name: string) =>
    `${operation} does not describe the path parameter ${name}; write it under parameters, with in: path and required: true`,
  twiceInPath: (path: string, name: string) => `${path} has {${name}} twice; give each parameter its own name`,
  noScheme: (name: string, known: string) =>
    `the security scheme ${name} is not described; write it under components/securitySchemes, or name one of those: ${known || 'none'}`,
};

/** The faults that prevent a document from being modelled. Its references are resolved; broken ones are undefined. */
export function* documentFaults(document: RawDocument): Iterable<Fault> {
  for (const key of ['title', 'version'] as const)
    if (typeof (document.info as Partial<RawDocument['info']> | undefined)?.[key] !== 'string')
      yield fault(['info', key], says.noText(key));
  for (const [path] of entriesOf(document.paths))
    if (!path.startsWith('/')) yield fault(['paths', path], says.noSlash(path));
  const operations = placedOperations(document);
  for (const { place, operation } of operations)
    for (const [status] of entriesOf(operation.responses))
      if (!/^([1-5](\d\d|XX)|default)$/.test(status) && !status.startsWith('x-'))
        yield fault([...place, 'responses', status], says.noStatus(status));
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => operation.operationId))
    for (const { place, name } of others)
      yield fault([...place, 'operationId'], says.takenId(name, String(first.place[2]), first.path));
  const ofParameters = operations.flatMap((placed) => [...listFaults(placed), ...templateFaults(placed)]);
  // A fault in a parameter of the path is found for each operation.
  yield* new Map(ofParameters.map((found) => [JSON.stringify(found), found])).values();
  yield* securityFaults(document);
}

/** The entries of an object; none if the node is not an object. */
export function entriesOf<Value>(node: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return typeof node === 'object' && (node as object | null) !== null ? Object.entries(node) : [];
}

/** The items that share a value, in groups. */
export function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): [first: Item, ...Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1) as [Item, ...Item[]][];
}

/** A path that a path before it matches, too. The suite leaves it out. */
export interface LikePath extends Fault {
  readonly path: string;
}

export function likePaths({ paths }: RawDocument): LikePath[] {
  const templates = entriesOf(paths).map(([path]) => path);
  const groups = repeated(templates, (path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
  return groups.flatMap(([first, ...others]) =>
    others.map((path) => ({ path, ...fault(['paths', path], says.likePath(path, first)) })),
  );
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

/** A parameter that may have faults, with the keys that lead to it. */
export type PlacedParameter = Partial<RawParameter> & { readonly place: Place };

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

/** A parameter in messages. */
export function described({ name, in: where }: PlacedParameter): string {
  return `the ${where} parameter ${name}`;
}

/** Whether a parameter has a name and a location. */
export function isParameter(parameter: PlacedParameter): parameter is PlacedParameter & RawParameter {
  return parameter.name !== undefined && parameter.in !== undefined && parameter.in in parameterStyles;
}

/** Parameters that are invalid or listed twice. */
function* listFaults(placed: PlacedOperation): Iterable<Fault> {
  for (const list of listsOf(placed)) {
    for (const parameter of list)
      if (!isParameter(parameter)) yield fault(parameter.place, says.noParameter);
      else if (parameter.in === 'path' && parameter.required !== true)
        yield fault(parameter.place, says.optional(described(parameter)));
    for (const [first, ...others] of repeated(list, (parameter) => `${parameter.in} ${parameter.name}`))
      for (const { place } of others) yield fault(place, says.listedTwice(described(first)));
  }
}

/** Parameters of the template that are not described, and described ones that are not in it. */
function* templateFaults(placed: PlacedOperation): Iterable<Fault> {
  const { path, name: operation, place, item } = placed;
  const inPath = listsOf(placed).flat();
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter = '']) => parameter);
  for (const { in: where, name, place: at } of inPath)
    if (where === 'path' && name !== undefined && !inTemplate.includes(name))
      yield fault(at, says.notInPath(name, path));
  // A broken reference, which is reported elsewhere, may be the missing parameter.
  const all: (RawParameter | undefined)[] = [...(item.parameters ?? []), ...(placed.operation.parameters ?? [])];
  const isUnsure = all.includes(undefined) || inPath.some(({ name }) => name === undefined);
  for (const name of inTemplate)
    if (!isUnsure && !inPath.some((known) => known.in === 'path' && known.name === name))
      yield fault(place, says.notDescribed(operation, name));
  for (const [name] of repeated(inTemplate, String)) yield fault(['paths', path], says.twiceInPath(path, name));
}

/** Security schemes that are required but not described. */
function* securityFaults(document: RawDocument): Iterable<Fault> {
  const schemes = document.components?.securitySchemes ?? {};
  const lists: [Place, RawSecurityRequirement[] | undefined][] = [
    [['security'], document.security],
    ...placedOperations(document).map(({ place, operation }): [Place, RawSecurityRequirement[] | undefined] => [
      [...place, 'security'],
      operation.security,
    ]),
  ];
  for (const [place, requirements = []] of lists)
    for (const [index, requirement] of requirements.entries())
      for (const name of Object.keys(requirement))
        if (!Object.hasOwn(schemes, name))
          yield fault([...place, index, name], says.noScheme(name, Object.keys(schemes).join(', ')));
}
