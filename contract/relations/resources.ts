/** The resources of an API: which operation does what to their items, which paths hold one value, and which hold a file. */
import { isDeepStrictEqual } from 'node:util';
import { type Baseline, baselineOf } from '../plan/baseline.ts';
import { isFile } from '../plan/bodies.ts';
import { isForm, isJson } from '../oracle/body.ts';
import type { ApiDocument, Operation, Parameter, Schema } from '../document/model.ts';
import { type QueryRoles, queryRolesOf } from './listing/query-roles.ts';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import { successContent, successSchema } from '../plan/parameters.ts';
import { isCompared, listedSchema, plainName, singular } from './values.ts';
import { heeded } from './said.ts';
import { type Kind, shownFields } from './identity.ts';

interface Operations {
  /** POST to the collection, or a PUT of an item that documents 201. */
  readonly create?: Baseline | undefined;
  readonly list?: Baseline | undefined;
  readonly read?: Baseline | undefined;
  /** What reads a file, in place of the fields of its item, which the list may show. */
  readonly file?: Baseline | undefined;
  readonly replace?: Baseline | undefined;
  readonly change?: Baseline | undefined;
  readonly remove?: Baseline | undefined;
  /** The resource whose items these belong to. */
  readonly parent?: Resource | undefined;
}

export interface Resource extends Operations, Kind {
  readonly query: QueryRoles | undefined;
}

/** A place of bytes, which has no identifier of its own, or of a form with a file, which creates an item. */
export interface Upload {
  readonly read: Baseline;
  readonly write: Baseline;
  readonly owner?: Resource | undefined;
  readonly field?: string;
  /** The resource of which the form creates an item. */
  readonly resource?: Resource | undefined;
}

export interface Resources {
  readonly document: ApiDocument;
  readonly baselines: readonly Baseline[];
  /** Those that others belong to come first. */
  readonly resources: readonly Resource[];
  /** Places of one JSON value. */
  readonly settings: readonly Resource[];
  readonly uploads: readonly Upload[];
  /** Resources whose list is a search by POST. */
  readonly searches: readonly Resource[];
}

/** The identifier of what is only listed, or has none. */
const unnamed: Parameter = {
  ...{ name: 'id', in: 'path', description: '', required: true, style: 'simple', explode: false, schema: {} },
};

export function resourcesOf(document: ApiDocument): Resources {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const at = (path: string, method: string) =>
    baselines.find(({ operation }) => operation.path === path && operation.method === method);
  const unsorted = [...new Set(document.operations.map(({ path }) => path))];
  // An item may be created below another one, though its own path is short.
  const lengthOf = (path: string) =>
    Math.max(
      path.length,
      creatorOf(path.replace(/\/\{[^{}/]+\}$/, ''), baselines, unsorted)?.operation.path.length ?? 0,
    );
  const paths = unsorted.sort((a, b) => lengthOf(a) - lengthOf(b));
  const resources: Resource[] = [];
  const others: string[] = [];
  for (const path of paths) {
    const [, collection, name] = /^(.+)\/\{([^{}/]+)\}$/.exec(path) ?? [];
    const known = baselines.find(({ operation }) => operation.path === path);
    const parameter = known?.operation.parameters.find((each) => each.in === 'path' && each.name === name);
    if (collection === undefined || !parameter) {
      others.push(path);
      continue;
    }
    const [post, put] = [creatorOf(collection, baselines, paths), at(path, 'put')];
    const list = at(collection, 'get') ?? at(post?.operation.path ?? '', 'get');
    const read = at(path, 'get');
    const create = post ?? (put?.payload && createsByPut(put) ? put : starterOf(read, baselines));
    const found: Operations = {
      create,
      list: listedSchema(list?.operation) && list,
      ...(isOfBytes(successContent(read?.operation)) ? { file: read } : { read }),
      replace: withBody(put),
      change: withBody(at(path, 'patch')) ?? updateByPost(at(path, 'post'), read),
      remove: withSuccess(at(path, 'delete')),
      parent: ownerOf(collection, resources) ?? ownerOf(create?.operation.path ?? '', resources),
    };
    resources.push(resourceOf(path, parameter, found));
  }
  const finding = resources.flatMap((resource) => finders(resource, baselines));
  const collections = new Set([...resources, ...finding].map(({ list }) => list));
  const lists = baselines.filter(({ operation }) => operation.method === 'get' && listedSchema(operation));
  for (const list of lists)
    if (!collections.has(list)) {
      const { path } = list.operation;
      const post = at(path, 'post');
      const resource = resourceOf(`${path}/{id}`, unnamed, { list, parent: ownerOf(path, resources) });
      const isCreator =
        post && creates(post) && [listedSchema(list.operation), successSchema(post.operation)].every(isNamed);
      resources.push(isCreator ? resourceOf(resource.path, unnamed, { ...resource, create: post }) : resource);
    }
  const places = others.flatMap((path) => {
    const [read, write] = [at(path, 'get'), at(path, 'put') ?? at(path, 'patch') ?? at(path, 'post')];
    return read && write ? [{ path, read, write, owner: ownerOf(path, resources) }] : [];
  });
  const settings = places.flatMap(({ path, read, write }) => {
    const kind = { put: 'replace', patch: 'change' }[write.operation.method as string];
    const isOne = kind !== undefined && write.payload && !listedSchema(read.operation);
    return isOne ? [resourceOf(path, unnamed, { read, [kind]: write }, true)] : [];
  });
  const holdBytes = ({ read, write }: Upload) =>
    isOfBytes(successContent(read.operation)) && isOfBytes(write.operation.requestBody?.content);
  const searches = [...finding, ...resources.flatMap((resource) => searchesOf(resource, baselines))];
  const forms = baselines.flatMap((write) => formOf(write, baselines, resources));
  const files = resources.flatMap((resource): Upload[] => {
    const { create: write, file: read } = resource;
    return write && read && isOfBytes(write.operation.requestBody?.content) ? [{ write, read, resource }] : [];
  });
  return {
    document,
    baselines,
    resources,
    settings,
    searches,
    uploads: [...forms, ...files, ...places.filter(holdBytes)],
  };
}

/** Names of what looks for items, and does nothing else. */
const searching = /search|find(?!.*(and|or))|query|filter|lookup/i;

/** A search by POST below a collection, which responds with items as they are read: the fields of its body are filters. */
function searchesOf(resource: Resource, baselines: readonly Baseline[]): Resource[] {
  const collection = resource.path.replace(/\/\{[^{}/]+\}$/, '');
  const isSearch = ({ operation: { operationId, method, path, responses }, payload }: Baseline) =>
    method === 'post' &&
    searching.test(`${path.split('/').at(-1)} ${operationId}`) &&
    // Items of several owners are searched together, as `/events/search` for `/calendars/{id}/events`.
    [collection, collection.slice(collection.lastIndexOf('/'))].some(
      (start) => path.startsWith(`${start}/`) && !path.slice(start.length).includes('{'),
    ) &&
    payload !== undefined &&
    responses['200'] !== undefined &&
    responses['201'] === undefined;
  return baselines.filter(isSearch).flatMap((list): Resource[] => {
    const listed = listedSchema(list.operation);
    const names = Object.keys(fieldsOf(listed));
    const readNames = Object.keys(resource.read ? shownFields(resource.read, resource) : {});
    if (!listed || names.length === 0 || !readNames.every((name) => names.includes(name))) return [];
    const parameters = Object.entries(fieldsOf(list.payload?.schema)).map(([name, schema]): Parameter => {
      const { description = '' } = schema as { description?: string };
      return {
        ...unnamed,
        ...{ name, in: 'query', required: false, description, style: 'form', explode: true, schema },
      };
    });
    // What was just created may not be indexed yet.
    const query = { ...queryRolesOf({ ...list.operation, parameters }, listed), isSelective: true };
    return [{ ...resource, list, listed, query }];
  });
}

/** A list by GET of the items of another one, as `/search/books`, of which a parameter is required. */
function finders(resource: Resource, baselines: readonly Baseline[]): Resource[] {
  const isFinder = ({ operation }: Baseline) =>
    operation.method === 'get' &&
    !operation.path.includes('{') &&
    operation.parameters.some((each) => each.in === 'query' && each.required) &&
    resource.listed !== undefined &&
    isDeepStrictEqual(listedSchema(operation), resource.listed);
  const isOwn = resource.create && !resource.path.replace(/\{[^{}]*\}$/, '').includes('{');
  return (isOwn ? baselines.filter(isFinder) : []).map((list) => {
    return { ...resource, list, query: { ...queryRolesOf(list.operation, resource.listed), isSelective: true } };
  });
}

function resourceOf(path: string, parameter: Parameter, operations: Operations, isSingle = false): Resource {
  const { create, list, replace, change } = operations;
  const last = path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{')) ?? '';
  const name = singular(plainName(last));
  const fields = [change, replace, create].map((each) => fieldsSentBy(each));
  const listed = listedSchema(list?.operation);
  const own = plainName(parameter.name);
  // As the `number` of an issue that `issue_number` names.
  const part = own.startsWith(name) ? own.slice(name.length) : '';
  const idNames = [own, part === '' ? 'id' : part, 'id', `${name}id`, 'uuid', 'key', 'slug', 'code', 'name'];
  return {
    ...{ ...operations, path, parameter, isSingle, name, listed, idNames },
    sent: { properties: Object.assign({}, ...fields) as Record<string, Schema> },
    query: list && queryRolesOf(list.operation, listed),
  };
}

/** What stands for the resource of an operation that is about no items in particular. */
export function nothingAt(path: string): Resource {
  return resourceOf(path, unnamed, {});
}

/** The fields of a body, without files, which are not read as they are sent. */
function fieldsSentBy({ payload, form, operation }: Partial<Baseline> = {}): Record<string, Schema> {
  const files = form?.parts.filter(isFile).map(({ name }) => name) ?? [];
  const fields = Object.entries(fieldsOf(payload?.schema ?? form?.schema));
  const known = heeded(Object.keys(fieldsOf(payload?.schema ?? form?.schema)), operation);
  return Object.fromEntries(
    fields.filter(([name]) => known.includes(name) && !files.includes(name) && !isCompared(name)),
  );
}

/** POST to the collection, or to one of the same name that has no items of its own, as `/books/{id}/loans` for `/loans`. */
function creatorOf(collection: string, baselines: readonly Baseline[], paths: readonly string[]): Baseline | undefined {
  const name = collection.split('/').at(-1);
  const creators = baselines.filter((each) => creates(each) && each.operation.path.split('/').at(-1) === name);
  const hasItems = (path: string) => paths.some((each) => each.startsWith(`${path}/{`));
  return (
    creators.find(({ operation }) => operation.path === collection) ??
    creators.find(({ operation }) => !hasItems(operation.path))
  );
}

/** What responds with the `Location` of an item that is read elsewhere, as a POST that starts a job, or makes an order of a cart. */
function starterOf(read: Baseline | undefined, baselines: readonly Baseline[]): Baseline | undefined {
  const shown = successSchema(read?.operation);
  const isStarter = ({ operation, payload }: Baseline) => {
    const { headers = {} } = operation.responses['202'] ?? operation.responses['201'] ?? {};
    const { method, path: at, requestBody } = operation;
    const isLocated = isNamed(shown) && Object.keys(headers).some((name) => /^location$/i.test(name));
    // As `operations/7` of `/operations/{operation}`.
    const isNamedSo = /^\^?[a-z]+\\?\//.test(fieldsOf(shown)['name']?.pattern ?? '');
    const isWhole = payload !== undefined || (requestBody === undefined && at.includes('{'));
    const isElsewhere = method === 'post' && read !== undefined && !at.startsWith(read.operation.path);
    return isElsewhere && isWhole && (isLocated || isNamedSo) && isDeepStrictEqual(successSchema(operation), shown);
  };
  return baselines.find(isStarter);
}

/** Whether an operation may create an item, of JSON, a form, or the bytes of a file that then has an identifier. */
function creates({ operation, payload, form }: Baseline): boolean {
  const { method, responses, requestBody } = operation;
  const isOfFile = isOfBytes(requestBody?.content) && isNamed(successSchema(operation));
  return (
    method === 'post' &&
    (payload ?? form ?? isOfFile) !== false &&
    ['200', '201', '202'].some((each) => responses[each])
  );
}

/** Whether an object has an identifier. */
function isNamed(schema: Schema | undefined): boolean {
  return Object.keys(fieldsOf(schema)).some((name) => plainName(name) === 'id');
}

export function createsByPut(put: Baseline | undefined): boolean {
  return put?.operation.method === 'put' && put.operation.responses['201'] !== undefined;
}

/** Whether the document tells a PUT that creates from one that replaces. */
export function tellsCreation(put: Baseline): boolean {
  const { 200: ok, 204: done } = put.operation.responses;
  return createsByPut(put) && (ok ?? done) !== undefined;
}

/** An operation that documents no success promises nothing of one. */
function withSuccess(baseline: Baseline | undefined): Baseline | undefined {
  const statuses = Object.keys(baseline?.operation.responses ?? {});
  return statuses.some((status) => /^(2|default)/.test(status)) ? baseline : undefined;
}

function withBody(baseline: Baseline | undefined): Baseline | undefined {
  const type = baseline?.payload?.content[0]?.[1] ?? 'json-patch';
  return type.includes('json-patch') ? undefined : baseline;
}

/** A POST to an item that responds with it, as it is read: what it leaves out stays. */
function updateByPost(post: Baseline | undefined, read: Baseline | undefined): Baseline | undefined {
  const { operationId = '', summary = '', responses = {} } = post?.operation ?? {};
  const isUpdate = /update|modif|edit|change/i.test(`${operationId} ${summary}`) && responses['201'] === undefined;
  const schema = successSchema(read?.operation);
  const isSame = isNamed(schema) && isDeepStrictEqual(successSchema(post?.operation), schema);
  return isUpdate && isSame && requiredFieldsOf(post?.payload?.schema ?? {}).length === 0 ? withBody(post) : undefined;
}

/** Whether an object in a change is merged into the one that there is, field by field. */
export function isMergePatch({ payload, operation }: Partial<Baseline> = {}): boolean {
  return /merge-patch|RFC ?7(386|396)|\bmerge[sd]\b/i.test(`${payload?.content[0]?.[1]} ${operation?.description}`);
}

/** The upload of a form with a file, if what it creates can be read. */
function formOf(write: Baseline, baselines: readonly Baseline[], resources: readonly Resource[]): Upload[] {
  const { path } = write.operation;
  const field = write.form?.parts.find(isFile)?.name;
  const resource = resources.find((each) => each.path.replace(/\/\{[^{}/]+\}$/, '') === path);
  const isBelow = (each: string) => each === path || (resource !== undefined && isAtOrBelow(each, resource));
  const reads = baselines.filter(({ operation }) => operation.method === 'get' && isBelow(operation.path));
  const read = reads.find(({ operation }) => isOfBytes(successContent(operation)));
  return field !== undefined && read ? [{ write, field, read, resource }] : [];
}

function isOfBytes(content: Operation['responses'][string]['content'] = {}): boolean {
  const types = Object.keys(content);
  return types.length > 0 && types.every((type) => !isJson(type) && !isForm(type) && !/xml/.test(type));
}

export function isAtOrBelow(path: string, resource: Resource): boolean {
  return path === resource.path || (/^[/:]/.test(path.slice(resource.path.length)) && path.startsWith(resource.path));
}

export function ownerOf(path: string, resources: readonly Resource[]): Resource | undefined {
  return resources.findLast((each) => isAtOrBelow(path, each));
}

/** Whether what is created belongs to an item whose identifier is in its path. */
export function isBelowParent({ create, parent }: Resource): boolean {
  return parent !== undefined && create?.operation.path.startsWith(`${parent.path}/`) === true;
}

/** The resources whose items are created below those of another one. */
export function belowOf({ path }: Resource, { resources }: Pick<Resources, 'resources'>): Resource[] {
  return resources.filter((each) => each.parent?.path === path && isBelowParent(each));
}
