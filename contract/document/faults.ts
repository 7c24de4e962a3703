/** What is wrong with a document, each fault with its place and what to write instead. */
import { httpMethods, parameterStyles } from './model.ts';
import type { RawDocument, RawOperation, RawParameter, RawPathItem } from './raw.ts';

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

export interface Fault {
  /** One at an absent key is reported at the nearest key. */
  readonly place: Place;
  /** `the fault; what to write instead`. */
  readonly message: string;
}

export const fault = (place: Place, message: string): Fault => ({ place, message });

/** The faults that prevent a document from being modelled. Its references are resolved; broken ones are undefined. */
export function* documentFaults(document: RawDocument): Iterable<Fault> {
  for (const key of ['title', 'version'] as const)
    if (typeof (document.info as Partial<RawDocument['info']> | undefined)?.[key] !== 'string')
      yield fault(['info', key], `info.${key} is missing or not a text; write it in quotes`);
  for (const [path] of entriesOf(document.paths))
    if (!path.startsWith('/'))
      yield fault(['paths', path], `the path ${path} does not begin with a slash; write /${path}`);
  const operations = placedOperations(document);
  for (const { place, operation } of operations)
    for (const [status] of entriesOf(operation.responses))
      if (!/^([1-5](\d\d|XX)|default)$/.test(status) && !status.startsWith('x-'))
        yield fault(
          [...place, 'responses', status],
          `${status} is not a status; write one such as '404', a range such as '5XX', or default`,
        );
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => operation.operationId))
    for (const { place, name } of others) {
      const other = `${String(first.place[2]).toUpperCase()} ${first.path}`;
      yield fault(
        [...place, 'operationId'],
        `the operationId ${name} is that of ${other} too; give each operation its own`,
      );
    }
  const ofParameters = operations.flatMap((placed) => {
    const parameters = placedParameters(placed);
    return [...listFaults(parameters), ...templateFaults(placed, parameters)];
  });
  // A fault in a parameter of the path is found for each operation.
  yield* new Map(ofParameters.map((found) => [JSON.stringify(found), found])).values();
  yield* securityFaults(document);
}

/** The entries of an object; none if the node is not an object. */
export function entriesOf<Value>(node: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return typeof node === 'object' && (node as object | null) !== null ? Object.entries(node) : [];
}

/** The items that share a value, in groups. */
function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): [first: Item, ...Item[]][] {
  const groups = [...Map.groupBy(items, keyOf).values()];
  return groups.filter((group) => group.length > 1) as [Item, ...Item[]][];
}

/** The paths that a path before them matches, too. The suite leaves them out. */
export function likePaths({ paths }: RawDocument): (Fault & { readonly path: string })[] {
  const templates = entriesOf(paths).map(([path]) => path);
  const groups = repeated(templates, (path) => path.replaceAll(/\{[^}]*\}/g, '{}'));
  return groups.flatMap(([first, ...others]) =>
    others.map((path) => {
      const alike = `${path} and ${first} are the same path but for the names of their parameters`;
      return { path, ...fault(['paths', path], `${alike}; describe both under one path`) };
    }),
  );
}

/** An operation of a document that may have faults, with the keys that lead to it. */
interface PlacedOperation {
  readonly place: Place;
  /** Its name in messages: the operationId, or else method and path. */
  readonly name: string;
  readonly path: string;
  readonly item: RawPathItem;
  readonly operation: RawOperation;
}

/** The operations of a document that may have faults. */
function placedOperations(document: RawDocument): PlacedOperation[] {
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
type PlacedParameter = Partial<RawParameter> & { readonly place: Place };

/** The parameters of the path and those of the operation, without broken references. */
function placedParameters({ path, place, item, operation }: PlacedOperation): PlacedParameter[] {
  const placed = (at: Place, list: readonly (RawParameter | undefined)[] = []) =>
    list.flatMap((parameter, index) => (parameter ? [{ ...parameter, place: [...at, 'parameters', index] }] : []));
  return [...placed(['paths', path], item.parameters), ...placed(place, operation.parameters)];
}

function* listFaults(parameters: readonly PlacedParameter[]): Iterable<Fault> {
  for (const { name, in: where, required, place } of parameters)
    if (name === undefined || where === undefined || !(where in parameterStyles))
      yield fault(place, 'a parameter needs a name, and `in` as path, query, header or cookie; write both');
    else if (where === 'path' && required !== true)
      yield fault(place, `the path parameter ${name} is not required; write required: true, as OpenAPI demands`);
  const keyOf = ({ name, in: where, place }: PlacedParameter) => JSON.stringify([place.slice(0, -1), where, name]);
  for (const [{ in: where, name }, ...others] of repeated(parameters, keyOf))
    for (const { place } of others)
      yield fault(place, `the ${where} parameter ${name} is listed twice; remove or rename one of the two`);
}

/** Parameters of the template that are not described, and described ones that are not in it. */
function* templateFaults(placed: PlacedOperation, parameters: readonly PlacedParameter[]): Iterable<Fault> {
  const { path, name: operation, place, item } = placed;
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/g)].map(([, parameter = '']) => parameter);
  for (const { in: where, name, place: at } of parameters)
    if (where === 'path' && name !== undefined && !inTemplate.includes(name))
      yield fault(
        at,
        `the path parameter ${name} is not in the path ${path}; write {${name}} in the path, or remove it`,
      );
  // A broken reference, which is reported elsewhere, may be the missing parameter.
  const all: (RawParameter | undefined)[] = [...(item.parameters ?? []), ...(placed.operation.parameters ?? [])];
  const isUnsure = all.includes(undefined) || parameters.some(({ name }) => name === undefined);
  for (const name of inTemplate)
    if (!isUnsure && !parameters.some((known) => known.in === 'path' && known.name === name))
      yield fault(
        place,
        `${operation} does not describe the path parameter ${name}; write it under parameters, with in: path and required: true`,
      );
  for (const [name] of repeated(inTemplate, String))
    yield fault(['paths', path], `${path} has {${name}} twice; give each parameter its own name`);
}

function* securityFaults(document: RawDocument): Iterable<Fault> {
  const schemes = document.components?.securitySchemes ?? {};
  const lists = [{ place: [] as Place, operation: document }, ...placedOperations(document)];
  for (const { place, operation } of lists)
    for (const [index, requirement] of (operation.security ?? []).entries())
      for (const name of Object.keys(requirement))
        if (!Object.hasOwn(schemes, name))
          yield fault(
            [...place, 'security', index, name],
            `the security scheme ${name} is not described; write it under components/securitySchemes, or name one of those: ${Object.keys(schemes).join(', ') || 'none'}`,
          );
}
