/** How items are told apart: identifiers in bodies, representations and addresses, and what refers to them. */
import { literally } from '../document/match.ts';
import type { Baseline } from '../plan/baseline.ts';
import { isObject } from '../oracle/json.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import type { Parameter, Schema } from '../document/model.ts';
import type { HttpResponse } from '../run/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { successSchema } from '../plan/parameters.ts';
import { type Fields, objectsIn, plainName } from './values.ts';
import { pluralOrOne } from './said.ts';

/** Items of one kind, such as the books at `/books/{book_id}`, or one value without an identifier, such as settings. */
export interface Kind {
  /** The path template of an item, which ends in its identifier. */
  readonly path: string;
  readonly parameter: Parameter;
  readonly isSingle: boolean;
  /** As in `book`. */
  readonly name: string;
  /** The plain names of the identifier, the likeliest first. */
  readonly idNames: readonly string[];
  readonly read?: Baseline | undefined;
  /** The schemas of the fields that clients send. */
  readonly sent: Schema & { readonly properties: Record<string, Schema> };
  readonly listed: Schema | undefined;
}

export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** The identifier of an item as its path has it: of a name such as `books/7`, what stands for the item in `/books/{book}`. */
export function placeOf({ path, parameter }: Kind, id: string): string {
  const [, collection = ''] = /([^/]+)\/\{[^{}]*\}$/.exec(path) ?? [];
  const [, last = id] = new RegExp(`(?:^|/)${literally(collection)}/([^/]+)$`).exec(id) ?? [];
  return pathTextOf(parameter, last) ?? last;
}

/** The field of a body that has the item's own identifier; undefined if it has none. */
export function identifierField(body: Fields, { idNames, isSingle }: Kind): string | undefined {
  return isSingle ? undefined : Object.keys(body).find((name) => idNames.slice(0, 4).includes(plainName(name)));
}

/** The identifier in an object, or in its `metadata`; undefined if it has none. */
export function identifierIn(object: Fields, { idNames }: Pick<Kind, 'idNames'>): string | undefined {
  const { metadata } = object;
  const all = Object.entries({ ...(isObject(metadata) && metadata), ...object });
  for (const wanted of idNames) {
    const [, value] = all.find(([name]) => plainName(name) === wanted) ?? [];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The representation of an item in a body, which may be wrapped, as in `{ "data": { ... } }`. */
export function entityIn(body: unknown, resource: Kind): Fields | undefined {
  return entityOf(objectsIn(body), resource);
}

/** The fields of an item that a response shows, which may be wrapped. */
export function shownFields({ operation }: Baseline, resource: Kind): Record<string, Schema> {
  const whole = fieldsOf(successSchema(operation));
  return entityOf([whole, ...Object.values(whole).map((each) => fieldsOf(each))], resource) ?? {};
}

/** The fields of an item as it is read, or else as it is listed. */
export function entityFields(resource: Kind): Record<string, Schema> {
  return resource.read ? shownFields(resource.read, resource) : fieldsOf(resource.listed);
}

function entityOf<Entity extends object>([whole, ...parts]: Entity[], { idNames, isSingle, sent }: Kind) {
  const wanted = isSingle ? Object.keys(sent.properties).map(plainName) : idNames.slice(0, 2);
  const isIt = (each: Entity) => Object.keys(each).some((name) => wanted.includes(plainName(name)));
  const found = [whole, ...parts].find((each) => each && isIt(each));
  // What has an identifier of its own may be another thing in it, such as its author.
  const countIn = (each: Entity) => Object.keys(each).filter((name) => Object.hasOwn(sent.properties, name)).length;
  return whole && found && countIn(found) < countIn(whole) ? whole : (found ?? whole);
}

export function locatedAt({ path }: Kind, { headers }: HttpResponse): Record<string, string> {
  const pattern = path
    .split(/\{[^}]+\}/)
    .map(literally)
    .join('([^/?#]+)');
  const [, ...values] = new RegExp(`${pattern}$`).exec((headers['location'] ?? '').replace(/[?#].*/, '')) ?? [];
  const names = pathNames(path);
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

const generalNames = ['id', 'uuid', 'name', 'key', 'slug', 'code', 'type'];

/**
 * Whether a field has the identifier of an item: such as `book_id` or `isbn`, or one that is said to, as in "One of your books".
 * @param others those that it may refer to instead
 */
export function refersTo(resource: Kind, name: string, schema: Described = {}, others: readonly Kind[] = []): boolean {
  const { name: of, parameter } = resource;
  const [plain, own] = [plainName(name), plainName(parameter.name)];
  const { pattern = schema.items?.pattern } = schema;
  // Identifiers often tell by a prefix of what they are.
  if (pattern !== undefined && /[a-z]{2,}[_-]/i.test(pattern) && pattern === parameter.schema.pattern) return true;
  if (plain === `${of}id` || plain === `${of}ids` || (plain === own && !generalNames.includes(plain))) return true;
  if (!/[a-z]_ids?$|[a-z]Ids?$/.test(name) || others.some((each) => refersTo(each, name))) return false;
  const { description = schema.items?.description ?? '' } = schema;
  const placeOf = (each: Kind) =>
    new RegExp(`\\b${pluralOrOne(each.name)}\\b`, 'i').exec(description)?.index ?? Infinity;
  return placeOf(resource) < Math.min(Infinity, ...others.filter((each) => each.name !== of).map(placeOf));
}

type Described = Schema & { readonly description?: string; readonly items?: Described };
