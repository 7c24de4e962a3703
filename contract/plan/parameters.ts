/** The parameters of an operation: their valid values, and how they are sent. */
import { isJson } from '../oracle/body.ts';
import { type Pair, pairsOfParameter, pathTextOf } from '../oracle/parameters.ts';
import { sampleOf } from '../dimensions/samples.ts';
import type { ApiDocument, DocumentedResponse, Operation, Parameter, Schema } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CheckContext, CredentialName } from '../run/model.ts';

/** Where the values of credentials come from. */
export type Scene = Pick<CheckContext, 'credential'>;

/** The credentials entries of existing resources, by path and path parameter. */
const identifiers: Record<string, Record<string, CredentialName>> = { '/cases/{id}': { id: 'case_id' } };

/** The credentials entries for the path parameters of an operation. */
export function identifiersOf(operation: Operation, document: ApiDocument): Record<string, CredentialName> {
  const { path, parameters } = operation;
  const isOwn = isOwnApi(document);
  const thing = Object.keys(identifiers).find((start) => path === start || path.startsWith(`${start}/`));
  const named = (isOwn && identifiers[thing ?? '']) || {};
  const contained = parameters.filter(
    ({ in: place, name, isCreated }) =>
      place === 'path' && isCreated !== true && !named[name] && containerOf(operation, name, document),
  );
  return { ...named, ...Object.fromEntries(contained.map(({ name }) => [name, containedEntry(name)])) };
}

/** The parameters of an operation, with values from the credentials, else from the tester, else from the document. */
export function parametersOf(operation: Operation, document: ApiDocument) {
  const { path, parameters } = operation;
  const known = identifiersOf(operation, document);
  // A value comes from the credentials if they have an entry, and the tester gives none.
  const isKnown = (parameter: Parameter) =>
    parameter.in === 'path' && parameter.value === undefined && known[parameter.name] !== undefined;
  const wanted = parameters.filter(
    (parameter) => parameter.value !== undefined || (parameter.required && !isKnown(parameter)),
  );
  const sent = wanted.map((parameter) => {
    const { in: place, name } = parameter;
    const value = valueOf(parameter);
    if (value === undefined) return { place, name };
    if (place === 'path') return { place, name, text: pathTextOf(parameter, value) };
    return { place, name, pairs: pairsOfParameter(parameter, value) };
  });
  const pairsIn = (location: Parameter['in']) =>
    sent.flatMap(({ place, pairs = [] }) => (place === location ? pairs : []));
  const queryText = pairsIn('query').map(queryPair).join('&');
  const cookies = pairsIn('cookie').map((pair) => pair.join('='));
  return {
    needs: parameters.flatMap((parameter) => (isKnown(parameter) ? (known[parameter.name] ?? []) : [])),
    /** The required parameters for which neither the document nor the tester gives a value. */
    lacks: sent.filter(({ pairs, text }) => pairs === undefined && text === undefined).map(({ name }) => name),
    headers: [...pairsIn('header'), ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const])],
    /** The path with these values instead of the valid ones, and with the required query. */
    path: (context: Scene, values: Readonly<Record<string, string>> = {}) =>
      path.replace(/\{([^}]+)\}/g, (_all, name: string) => {
        const text = values[name] ?? sent.find((each) => each.place === 'path' && each.name === name)?.text;
        const credential = known[name];
        return text ?? encodeURIComponent(credential ? context.credential(credential) : '');
      }) + (queryText === '' ? '' : `?${queryText}`),
  };
}

export function queryOf(parameters: readonly { readonly name: string; readonly texts: readonly string[] }[]): string {
  return parameters.flatMap(({ name, texts }) => texts.map((text) => queryPair([name, text]))).join('&');
}

/** The comma that separates the items of an array is not encoded. */
function queryPair([name, text]: Pair): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text).replaceAll('%2C', ',')}`;
}

/** A valid value of a parameter, if the tester or the document gives one. */
export function valueOf({ value, example, schema }: Parameter): unknown {
  if (value !== undefined) return value;
  const isTelling = schema.format !== undefined || (schema.enum ?? schema.default) !== undefined;
  return example ?? schema.example ?? (isTelling ? sampleOf(schema) : undefined);
}

/** The operation that reads the container of the resource that a path parameter identifies, if its response includes that. */
export function containerOf({ path }: Operation, parameter: string, document: ApiDocument): Operation | undefined {
  const [start = ''] = path.split(`{${parameter}}`);
  const isOutside = (outer: string) => outer.includes('{') && start.startsWith(`${outer}/`);
  return document.operations
    .filter((operation) => operation.method === 'get' && isOutside(operation.path))
    .filter((operation) => fieldsWithin(successSchema(operation)).has(parameter))
    .sort((one, other) => other.path.length - one.path.length)[0];
}

/** The credentials entry for such a value once it has been read. */
export function containedEntry(parameter: string): CredentialName {
  return parameter as CredentialName;
}

/** The first value of a property with this name, at any depth of a response. */
export function valueNamed(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value = (body as Record<string, unknown>)[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  for (const part of Object.values(body)) {
    const found = valueNamed(part, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function successContent(operation: Operation | undefined): DocumentedResponse['content'] {
  return Object.entries(operation?.responses ?? {}).find(([status]) => /^2/.test(status))?.[1].content ?? {};
}

/** The schema of a successful JSON response; of any value if there is none. */
export function successSchema(operation: Operation | undefined): Schema {
  return Object.entries(successContent(operation)).find(([mediaType]) => isJson(mediaType))?.[1].schema ?? {};
}

const knownFields = new WeakMap<Schema, ReadonlySet<string>>();
const deepest = 8;

/** The names of all fields in a value of the schema, to a certain depth. */
function fieldsWithin(schema: Schema): ReadonlySet<string> {
  const known = knownFields.get(schema);
  if (known) return known;
  const found = new Set<string>();
  const seen = new Set([schema]);
  let level = [schema];
  for (let depth = 0; depth <= deepest; depth += 1) {
    for (const name of level.flatMap(({ properties = {} }) => Object.keys(properties))) found.add(name);
    const inner = level.flatMap(({ properties = {}, items = [] }) => [...Object.values(properties), items].flat());
    level = inner.filter((part) => !seen.has(part));
    for (const part of level) seen.add(part);
  }
  knownFields.set(schema, found);
  return found;
}
