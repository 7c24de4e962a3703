/**
 * The resources of an API, derived from its document alone: which operation creates, reads, lists, changes and removes the
 * items of a collection, which paths hold one value, and which hold a file. What the document does not show is absent.
 */
import { type Baseline, baselineOf } from '../plan/baseline.ts';
import { isFile } from '../plan/bodies.ts';
import { isForm, isJson } from '../oracle/body.ts';
import type { ApiDocument, Operation, Parameter, Schema } from '../document/model.ts';
import type { HttpResponse } from '../run/model.ts';

/** Items of one kind, such as the books at `/books/{book_id}`. */
export interface Resource {
  /** The path template of an item, which ends in its identifier. */
  readonly path: string;
  readonly parameter: Parameter;
  /** The resource whose items these belong to. */
  readonly parent?: Resource;
  /** POST to the collection, or a PUT of an item that documents 201. */
  readonly create?: Baseline;
  readonly list?: Baseline;
  readonly read?: Baseline;
  readonly replace?: Baseline;
  readonly change?: Baseline;
  readonly remove?: Baseline;
}

/** A path that is written and read, and has no identifier of its own. */
export interface Place {
  readonly read: Baseline;
  readonly write: Baseline;
  /** The resource whose item it belongs to. */
  readonly owner?: Resource;
}

/** A place of bytes. */
export interface Upload extends Place {
  /** The field of a form that has the file; absent if the file is the whole body. */
  readonly field?: string;
  /** The resource of which a form creates an item. */
  readonly resource?: Resource;
}

/** The fields of an object. */
export type Fields = Record<string, unknown>;

export interface Resources {
  readonly document: ApiDocument;
  readonly baselines: readonly Baseline[];
  /** Those that others belong to come first. */
  readonly resources: readonly Resource[];
  /** Places of one JSON value. */
  readonly settings: readonly Place[];
  readonly uploads: readonly Upload[];
}

/** An operation that documents no success promises nothing of one. */
function withSuccess(baseline: Baseline | undefined): Baseline | undefined {
  return baseline && Object.keys(baseline.operation.responses).some((status) => /^(2|default)/.test(status))
    ? baseline
    : undefined;
}

export function resourcesOf(document: ApiDocument): Resources {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const at = (path: string, method: string) =>
    baselines.find(({ operation }) => operation.path === path && operation.method === method);
  const paths = [...new Set(document.operations.map(({ path }) => path))].sort((a, b) => a.length - b.length);
  const resources: Resource[] = [];
  for (const path of paths) {
    const [, collection, name] = /^(.+)\/\{([^{}/]+)\}$/.exec(path) ?? [];
    const known = baselines.find(({ operation }) => operation.path === path);
    const parameter = known?.operation.parameters.find((each) => each.in === 'path' && each.name === name);
    if (collection === undefined || !parameter) continue;
    const list = at(collection, 'get');
    const parent = ownerOf(collection, resources);
    const found = {
      create: creatorOf(collection, baselines, paths) ?? puttingOf(at(path, 'put')),
      list: list && listedSchema(list.operation) ? list : undefined,
      read: at(path, 'get'),
      replace: withBody(at(path, 'put')),
      change: withBody(at(path, 'patch')),
      remove: withSuccess(at(path, 'delete')),
      parent,
    };
    resources.push({ path, parameter, ...Object.fromEntries(Object.entries(found).filter(([, each]) => each)) });
  }
  const itemPaths = new Set(resources.map(({ path }) => path));
  const isCollection = (path: string) => resources.some((each) => each.list?.operation.path === path);
  for (const list of baselines)
    if (list.operation.method === 'get' && listedSchema(list.operation) && !isCollection(list.operation.path)) {
      const { path } = list.operation;
      const parent = ownerOf(path, resources);
      resources.push({ path: `${path}/{id}`, parameter: unnamed, list, ...(parent && { parent }) });
    }
  const placesOf = (isIt: (read: Baseline, write: Baseline) => boolean): Place[] =>
    paths.flatMap((path) => {
      const [read, write] = [at(path, 'get'), at(path, 'put') ?? at(path, 'patch') ?? at(path, 'post')];
      if (!read || !write || itemPaths.has(path) || !isIt(read, write)) return [];
      const owner = ownerOf(path, resources);
      return [{ read, write, ...(owner && { owner }) }];
    });
  const forms = baselines.flatMap((write): Upload[] => {
    const { path } = write.operation;
    const field = write.form?.parts.find(isFile)?.name;
    const resource = resources.find((each) => each.path.replace(/\/\{[^{}/]+\}$/, '') === path);
    const isBelow = (each: string) =>
      resource !== undefined && (each === resource.path || each.startsWith(`${resource.path}/`));
    const read = baselines.find(
      ({ operation }) =>
        operation.method === 'get' &&
        (operation.path === path || isBelow(operation.path)) &&
        isOfBytes(successContent(operation)),
    );
    return field !== undefined && read ? [{ write, field, read, ...(resource && { resource }) }] : [];
  });
  return {
    document,
    baselines,
    resources,
    settings: placesOf(
      (read, write) => write.operation.method !== 'post' && write.json !== undefined && !listedSchema(read.operation),
    ),
    uploads: [
      ...forms,
      ...placesOf(
        (read, write) => isOfBytes(successContent(read.operation)) && isOfBytes(write.operation.requestBody?.content),
      ),
    ],
  };
}

/** The identifier of what is only listed. */
const unnamed: Parameter = {
  ...{ name: 'id', in: 'path', description: '', required: true, style: 'simple', explode: false, schema: {} },
};

/** POST to the collection, or to one of the same name that has no items of its own, as `/books/{id}/loans` for `/loans`. */
function creatorOf(collection: string, baselines: readonly Baseline[], paths: readonly string[]): Baseline | undefined {
  const name = collection.split('/').at(-1);
  const creators = baselines.filter(
    ({ operation: { method, path, responses }, json }) =>
      method === 'post' && json && path.split('/').at(-1) === name && (responses['201'] ?? responses['200']),
  );
  const hasItems = (path: string) => paths.some((each) => each.startsWith(`${path}/{`));
  return (
    creators.find(({ operation }) => operation.path === collection) ??
    creators.find(({ operation }) => !hasItems(operation.path))
  );
}

function puttingOf(put: Baseline | undefined): Baseline | undefined {
  return put?.json && put.operation.responses['201'] ? put : undefined;
}

function withBody(baseline: Baseline | undefined): Baseline | undefined {
  const type = baseline?.json?.content[0]?.[1] ?? '';
  return baseline?.json && !/json-patch/.test(type) ? baseline : undefined;
}

function ownerOf(path: string, resources: readonly Resource[]): Resource | undefined {
  return resources.findLast((each) => path.startsWith(`${each.path}/`) || path === each.path);
}

function successContent({ responses }: Operation) {
  return Object.entries(responses).find(([status]) => /^2/.test(status))?.[1].content;
}

function isOfBytes(content: Operation['responses'][string]['content'] | undefined): boolean {
  const types = Object.keys(content ?? {});
  return types.length > 0 && types.every((type) => !isJson(type) && !isForm(type) && !/xml/.test(type));
}

/** The schema of a successful JSON response, if there is one. */
export function successSchema(operation: Operation | undefined): Schema[] {
  const content = Object.entries((operation && successContent(operation)) ?? {});
  return content.flatMap(([type, { schema }]) => (isJson(type) ? [schema] : [])).slice(0, 1);
}

/** The fields of an object, with those of the parts that it is composed of. */
export function fieldsOf(schema: Schema, seen = new Set<Schema>()): Record<string, Schema> {
  if (seen.has(schema)) return {};
  seen.add(schema);
  const { allOf = [], anyOf = [], oneOf = [] } = schema as Record<string, Schema[] | undefined>;
  const parts = [...allOf, ...anyOf, ...oneOf].map((part) => fieldsOf(part, seen));
  return Object.assign({}, ...parts, schema.properties) as Record<string, Schema>;
}

/** The fields that an object must have. */
export function requiredFieldsOf(schema: Schema): string[] {
  const { allOf = [] } = schema as { allOf?: Schema[] };
  return [...(schema.required ?? []), ...allOf.flatMap(requiredFieldsOf)];
}

const listNames = /^(items|data|results|records|entries|values|content|hits|list|rows)$/i;

/** The schema of what a response lists: its items, or those of its one array of objects. */
export function listedSchema(operation: Operation): Schema | undefined {
  const [schema] = successSchema(operation);
  if (!schema) return undefined;
  if (schema.type === 'array') return schema.items;
  const arrays = Object.entries(fieldsOf(schema)).filter(
    ([, { type, items }]) => type === 'array' && items && Object.keys(fieldsOf(items)).length > 0,
  );
  // An item may have an array of its own, but has an identifier beside it.
  if (Object.keys(fieldsOf(schema)).some((name) => /^id$/i.test(name))) return undefined;
  const [, found] = arrays.find(([name]) => listNames.test(name)) ?? (arrays.length === 1 ? (arrays[0] ?? []) : []);
  return found?.items;
}

/** The items that a response lists; undefined if it is no list. */
export function listedItems(body: unknown): Fields[] | undefined {
  const arrays = Array.isArray(body)
    ? [['items', body] as const]
    : Object.entries(isObject(body) ? body : {}).filter(([, each]) => Array.isArray(each));
  const [, found] = arrays.find(([name]) => listNames.test(name)) ?? arrays[0] ?? [];
  return (found as unknown[] | undefined)?.filter((each): each is Fields => isObject(each));
}

export function parsed({ text }: { readonly text: string }): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name without case and separators, so that `book_id` and `bookId` are one. */
export function plainName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

/** The name of a resource's items, as in `book` for `/books/{id}`. */
export function singularOf({ path }: Resource): string {
  const last = path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{'));
  return plainName(last ?? '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '');
}

/** The names of an identifier in a body, the likeliest first. */
function identifierNames(resource: Resource): string[] {
  return [plainName(resource.parameter.name), 'id', `${singularOf(resource)}id`, 'uuid', 'key', 'slug', 'code', 'name'];
}

/** The field of a body that has the item's own identifier; undefined if it has none. */
export function identifierField(body: Fields, resource: Resource): string | undefined {
  const names = identifierNames(resource).slice(0, 3);
  return Object.keys(body).find((name) => names.includes(plainName(name)));
}

/** The identifier in an object; undefined if it has none. */
export function identifierIn(object: Fields, resource: Resource): string | undefined {
  for (const wanted of identifierNames(resource)) {
    const [, value] = Object.entries(object).find(([name]) => plainName(name) === wanted) ?? [];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The representation of an item in a body, which may be wrapped, as in `{ "data": { ... } }`. */
export function entityIn(body: unknown, resource: Resource): Fields | undefined {
  if (!isObject(body)) return undefined;
  const [wanted, id] = identifierNames(resource);
  const has = (each: unknown) =>
    isObject(each) && Object.keys(each).some((name) => [wanted, id].includes(plainName(name)));
  return has(body) ? body : ((Object.values(body).find(has) as Fields | undefined) ?? body);
}

export function isAtOrBelow(path: string, resource: Resource): boolean {
  return path === resource.path || path.startsWith(`${resource.path}/`);
}

/** The path parameters in `Location`. */
export function locatedAt({ path }: Resource, { headers }: HttpResponse): Record<string, string> {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{([^}]+)\}/g, '([^/?#]+)');
  const [, ...values] = new RegExp(`${pattern}$`).exec((headers['location'] ?? '').replace(/[?#].*/, '')) ?? [];
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

const generalNames = ['id', 'uuid', 'name', 'key', 'slug', 'code', 'type'];

/** Whether a field such as `book_id` or `isbn` has the identifier of an item. */
export function refersTo(resource: Resource, name: string): boolean {
  const [plain, parameter] = [plainName(name), plainName(resource.parameter.name)];
  return plain === `${singularOf(resource)}id` || (plain === parameter && !generalNames.includes(plain));
}
