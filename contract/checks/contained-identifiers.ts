/**
 * A path parameter without an entry in the credentials may identify part of a resource that has one, such as a file of
 * a case. Its value is then read from the response that contains it.
 */
import { isJson } from '../conformance/media-type.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import type { CredentialName } from '../run/model.ts';

/**
 * The operation that reads the container of the resource that a path parameter identifies, if its response includes its
 * identifier.
 */
export function containerOf({ path }: Operation, parameter: string, document: ApiDocument): Operation | undefined {
  const [start = ''] = path.split(`{${parameter}}`);
  return document.operations
    .filter(
      (operation) =>
        operation.method === 'get' && operation.path.includes('{') && start.startsWith(`${operation.path}/`),
    )
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

function successSchema({ responses }: Operation): Schema {
  const [, success] = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status)) ?? [];
  return Object.entries(success?.content ?? {}).find(([mediaType]) => isJson(mediaType))?.[1].schema ?? {};
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
