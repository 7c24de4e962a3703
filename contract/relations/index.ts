/** Relations between requests that hold for any API. One exists for each operation whose document has what it needs. */
import type { ApiDocument, Operation, RequestBody } from '../document/model.ts';
import { mapValues } from '../document/schemas.ts';
import { jsonApi, plainDocument, sentAs } from './json-api.ts';
import { isDeepStrictEqual } from 'node:util';
import { isForm, isJson } from '../oracle/body.ts';
import { valueOfText } from '../oracle/parameters.ts';
import { type Baseline, exampleOf } from '../plan/baseline.ts';
import type { Check, CheckContext } from '../run/model.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import * as access from './access.ts';
import { bodyNamingItems, readyFor } from './acting/changes.ts';
import type { Client } from './client.ts';
import { type At, givenIn, identified, type Run } from './exchange.ts';
import { isObject } from '../oracle/json.ts';
import { checkActed } from './acting/actions.ts';
import { checkAggregates } from './acting/aggregates.ts';
import { hasAggregates, isSummary } from './acting/explanations.ts';
import { actionsOf } from './steps.ts';
import { checkBulk, checkBulkChanged, idsIn, listIn } from './acting/bulk.ts';
import { checkRefused, mayRefuse } from './acting/refusals.ts';
import { checkEdges, checkSaved } from './edges.ts';
import { checkExported, checkForeignExport, exportsOf } from './listing/exports.ts';
import * as filtering from './listing/filters.ts';
import * as lists from './listing/lists.ts';
import * as pages from './listing/pages.ts';
import { checkMembers, membersOf } from './acting/members.ts';
import { Model } from './model.ts';
import * as protocol from './protocol.ts';
import { checkRemoved } from './removals.ts';
import * as repeats from './repeats.ts';
import { checkWalks, walkedResources } from './walks.ts';
import { createsByPut, isBelowParent, nothingAt, ownerOf, type Resource, resourcesOf } from './resources.ts';
import * as state from './state.ts';
import { listedSchema } from './values.ts';
import { checkRanges, checkUploaded } from './uploads.ts';
import { pathNames } from './identity.ts';

const edges = 'values at every edge of the schema are accepted and come back as they were sent';

/** What each relation promises, by its id. */
const titles: Readonly<Record<string, string>> = {
  created: 'what was created is found by an identifier of its own, at its Location and once in lists, as it was sent',
  removed: 'what was removed is gone, its removal can be repeated, and nothing else goes with it',
  replaced: 'what was replaced is found as it was sent, and nothing else is replaced',
  changed: 'what was changed is found so, and nothing else changes, also at the same time',
  aggregated: 'numbers that follow from what there is do so, whatever becomes of that',
  'changed-several': 'of several items that are changed at once, each is as the response says',
  refused: 'what is refused for its body or its state changes nothing',
  acted: 'what an action shows of an item is what is read then, and nothing else changes',
  exported: 'an export has what the list has, each value in its column',
  referring: 'what refers to nothing is refused if the document says so',
  'belongs-to-one': 'what belongs to one item is not found under another',
  put: 'what is put into an item is shown there until it is removed, and nothing else comes or goes with it',
  several: 'each of several items that are created at once is found as it was sent',
  edges,
  'replaced-edges': edges,
  saved: 'what was saved is read so, at every edge of its schema',
  limited: 'a page has as many items as its limit says',
  paged: 'pages are disjoint and complete, also of a filtered and a sorted list',
  'query-defaults': 'a query parameter that is left out has its default',
  fields: 'the items of a list have the fields that are asked for',
  sorted: 'the list has the order that is asked for, across its pages',
  'filtered-together': 'of several filters, all hold',
  'other-tenant': 'what one tenant made, another can neither read nor change',
  lesser: 'who may only read is refused',
  reader: 'who may only read may read',
  'stale-precondition': 'a stale precondition is refused and changes nothing',
  conflict: 'what conflicts with what there is conflicts at the same time, too',
  'dry-run': 'what is only tried changes nothing',
  expanded: 'what is asked for with an item is in it',
  'repeated-key': 'a repeated idempotency key creates nothing more',
  uploaded: 'an upload comes back byte for byte',
  'not-modified': 'a request with the validator of the last response gets 304',
  conditional: 'a request with the validator of the last response gets all of it',
  head: 'a response to HEAD has the length of that to GET, or none',
  ranged: 'a range of bytes is that part of the whole',
  'unlisted-methods': 'every method that the path does not document gets 405',
  walk: 'random walks of creating, updating, removing and listing agree with a model after each step',
};
const inList = 'what one tenant made, another does not find in lists';
const foreignKey = 'the key of one tenant means nothing for another';

/** What holds between requests: the operation that it is about, if the document promises it, and how it is checked. */
type Relation = readonly [
  id: string,
  about: Baseline | false | undefined,
  check: (model: Model, about: Baseline, context: CheckContext) => Promise<void>,
  title?: string | undefined,
];

/** The relations of a document, as checks. The seed determines the random walks. */
export function relationChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  const run = runOf(document, seed, thorough);
  const walked = walkedResources(run.resources);
  const relations: Relation[] = [
    ...[...run.resources, ...run.settings].flatMap(ofResource),
    ...run.searches.flatMap((each) => ofResource(each).filter(([, about]) => about === each.list)),
    ...run.uploads.map((upload): Relation => ['uploaded', upload.write, (model) => checkUploaded(model, upload)]),
    ...run.resources.flatMap((resource) => ofOthers(resource, run)),
    ...membersOf(run).map((members): Relation => ['put', members.put, (model) => checkMembers(model, members)]),
    ...run.baselines.flatMap((baseline) => ofOperation(baseline, run)),
    ['walk', walked[0]?.create, (model, _about, context) => checkWalks(model, walked, context)],
  ];
  const checks = relations.flatMap((relation) => checkOf(relation, run));
  // Each runs once before others run again.
  return checks.map((check, at) => {
    return { ...check, mayRunAgain: () => run.requests <= (run.budget * (at + 1)) / checks.length };
  });
}

/** The most requests of all relations of a run: servers of others must not be flooded. */
const mostRequests = 8000;

function runOf(document: ApiDocument, seed: number, thorough = false): Run {
  const tag = (seed % 46_656).toString(36) + (Date.now() % 46_656).toString(36);
  const counts = { requests: 0, identifiers: 0, budget: thorough ? 4 * mostRequests : mostRequests };
  return {
    ...resourcesOf(plainDocument(document)),
    written: document,
    ...counts,
    tag,
    bodies: new Map(),
    freedoms: new Map(),
    asGiven: new Set(),
    readying: new Map(),
    accepted: new Map(),
  };
}

/**
 * Creates an item of each kind that the suite can create. What cannot be created has the example that it had.
 * @returns the document, with their identifiers as the examples of its path parameters, where the validators in it are read, and what
 *   removes the items
 */
export async function withItems(options: SessionOptions, document: ApiDocument) {
  const run = runOf(document, options.seed);
  // What the relations create must not be equal to it, and is otherwise alike: a multiple of how many values there are to choose from.
  for (const { path } of run.resources) run.bodies.set(path, 840);
  const client = new Model(new Session(options, { needs: [] }), run);
  const found = new Map<Resource, At>();
  for (const resource of run.resources) {
    const { path = '', parameters = [] } = resource.create?.operation ?? {};
    const given = givenIn(parameters);
    // What belongs to an item that the tester has given is created there.
    const isGiven = path.includes('{') && pathNames(path).every((name) => given[name] !== undefined);
    const made = isGiven ? client.create(resource, { at: given }).then(({ at }) => at) : client.locate(resource.path);
    const at: At = await made.catch(() => ({}));
    if (Object.keys(at).length > 0) found.set(resource, at);
  }
  const validators = new Map<string, string>();
  const operations = run.baselines.map(async (baseline, index) => {
    const { operation } = baseline;
    const { [index]: written = operation } = document.operations;
    const owner = ownerOf(operation.path, [...found.keys()]);
    const given = givenIn(operation.parameters);
    // What an action leaves of an item must not disturb the other operations.
    const ready = isOfItem(baseline, owner)
      ? await readyFor(client, owner as Resource, baseline)
          .then((item) => item ?? client.createAsShown(owner as Resource))
          .catch(() => undefined)
      : undefined;
    const own = ready?.at ?? (owner && found.get(owner)) ?? {};
    const isOwn = Object.entries(given).every(([name, text]) => (own[name] ?? text) === text);
    const at = isOwn ? { ...own, ...given } : given;
    const place = owner && { resource: owner, at, id: '', caller: 'own' as const };
    const [[, etag] = []] = place ? await client.matching(place, baseline).catch(() => []) : [];
    const path = owner?.path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => at[name] ?? '');
    if (etag !== undefined && path !== undefined && owner?.read) validators.set(etag, path);
    const parameters = operation.parameters.map((parameter) => {
      const { in: of, name, schema } = parameter;
      const isRequired = parameter.required || operation.responses['428'] !== undefined;
      if (of === 'header' && /^if-match$/i.test(name) && etag !== undefined)
        return { ...parameter, required: isRequired, example: etag };
      const text = of === 'path' ? at[name] : undefined;
      if (text === undefined) return parameter;
      return { ...parameter, example: valueOfText(schema, decodeURIComponent(text)), isCreated: true as const };
    });
    const body = await referringBody(client, baseline, owner, owner && at[owner.parameter.name]);
    return { ...written, parameters, requestBody: body && writtenBody(written, body, Object.values(at).at(-1)) };
  });
  const changed = { ...document, operations: await Promise.all(operations) };
  return { document: changed, validators, cleanUp: () => client.cleanUp() };
}

/** Whether the state of an item decides whether an operation on it succeeds, which is none of the resource's own. */
function isOfItem({ operation }: Baseline, owner: Resource | undefined): boolean {
  const { method, path, responses } = operation;
  return owner?.create !== undefined && owner.path !== path && method !== 'delete' && responses['409'] !== undefined;
}

/** A body whose example names items that there are, unless the tester has given it. */
async function referringBody(
  client: Client,
  { operation, payload }: Baseline,
  owner: Resource | undefined,
  id: string | undefined,
) {
  const { requestBody } = operation;
  const [type, media] = Object.entries(requestBody?.content ?? {}).find(([each]) => isJson(each) || isForm(each)) ?? [];
  const { resources } = client.run;
  const own = resources.find(({ create }) => create?.operation === operation) ?? owner;
  if (!requestBody || type === undefined || !media || !payload || payload.isGuessed || 'given' in media.examples)
    return requestBody;
  const naming = await bodyNamingItems(client, own ?? nothingAt(operation.path), payload).catch(() => payload.valid);
  const isWhole =
    owner && (owner.path === operation.path || isDeepStrictEqual(payload.schema, owner.replace?.payload?.schema));
  const isOwn = isWhole === true && id !== undefined && isObject(naming);
  const value = isOwn ? identified(naming, { resource: owner, id: decodeURIComponent(id) }) : naming;
  if (payload.faultsOf(value).length > 0) return requestBody;
  return {
    ...requestBody,
    content: { ...requestBody.content, [type]: { ...media, examples: { example: { value } } } },
  };
}

/** A body as the document writes it. */
function writtenBody(written: Operation, { content, ...body }: RequestBody, place = ''): RequestBody {
  const media = written.requestBody?.content[jsonApi];
  if (!media) return { ...body, content };
  const examples = mapValues(content[jsonApi]?.examples, ({ value, ...each }) => {
    return { ...each, value: sentAs(written, value, decodeURIComponent(place)) };
  });
  return { ...body, content: { ...content, [jsonApi]: { ...media, examples } } };
}

type OfResource = readonly [
  id: Relation[0],
  about: Relation[1],
  check: (model: Model, resource: Resource, about: Baseline) => Promise<void>,
  title?: string | undefined,
];

function ofResource(resource: Resource): Relation[] {
  const { create, read, list, replace, change, remove, parent, query, isSingle } = resource;
  const { paging: { limit, ...position } = {}, orders = [], filters = [], defaults = [] } = query ?? {};
  const isFound = create && (read ?? list);
  const hasKey = create && repeats.hasKey(create);
  const ofStale = (about: Baseline | undefined) => {
    return protocol.preconditionOf(about) && isFound && (change ?? replace) && about;
  };
  const rows: readonly OfResource[] = [
    ['saved', isSingle && (replace ?? change), checkSaved],
    ['created', isFound && create, state.checkCreated],
    [
      'created',
      isFound && replace !== create && createsByPut(replace) && replace,
      (model) => state.checkCreated(model, { ...resource, create: replace }),
    ],
    ['referring', isFound && create.payload && create, access.checkReferring],
    ['referring', isFound && change?.payload && change, access.checkReferring],
    ['removed', isFound && remove, checkRemoved],
    ['replaced', isFound && replace, state.checkUpdated],
    ['changed', isFound && change, state.checkUpdated],
    ['belongs-to-one', isFound && isBelowParent(resource) && parent?.create && create, state.checkBelonging],
    ['edges', isFound && create.payload && create, (model, each, by) => checkEdges(model, each, by, true)],
    [replace === create ? 'replaced-edges' : 'edges', isFound && replace, checkEdges],
    ['edges', isFound && change, checkEdges],
    ['limited', limit && list, pages.checkLimit],
    ['paged', limit && Object.keys(position).length > 0 && list, pages.checkPages],
    ['query-defaults', defaults[0] && list, pages.checkDefaults],
    ['sorted', orders[0] && list, lists.checkOrders],
    ['fields', query?.shown && list, lists.checkFields],
    ['filtered-together', filtering.equalFilters(resource)[1] && list, filtering.checkFilters],
    ...filters.map((filter): OfResource => {
      const title = `${filter.key} finds what matches, all of it, and nothing else`;
      return [`filtered.${filter.key}`, list, (model) => filtering.checkFilter(model, resource, filter), title];
    }),
    ['other-tenant', hasKey && access.isPrivate(create) && create, repeats.checkForeignKey, foreignKey],
    ...[replace, change, remove].map((about): OfResource => {
      return ['stale-precondition', ofStale(about), protocol.checkStale];
    }),
    ...[create, replace, change, remove].map((about): OfResource => {
      return ['dry-run', isFound && state.dryRunOf(about) && about, state.checkDryRun];
    }),
    ['expanded', isFound && read && access.expandingOf(read) && read, access.checkExpanded],
    ['repeated-key', hasKey && create, repeats.checkRepeatedKey],
    ['conflict', isFound && create.operation.responses['409'] && create, repeats.checkConflict],
  ];
  return rows.map(([id, about, check, title]) => [id, about, (model, by) => check(model, resource, by), title]);
}

/** What acts on items of a resource beside its own operations: on several at once, or on one, and what follows from them. */
function ofOthers(resource: Resource, run: Run): Relation[] {
  const { baselines } = run;
  const { create, read, list } = resource;
  if (!create || !(read ?? list)) return [];
  const actions = actionsOf(resource, run);
  return [
    ['aggregated', hasAggregates(resource, run) && read, (model) => checkAggregates(model, resource)],
    ...baselines
      .filter((each) => idsIn(each, resource, run) !== undefined)
      .map((about): Relation => ['changed-several', about, (model) => checkBulkChanged(model, resource, about)]),
    ...baselines
      .filter((each) => listIn(each, resource) !== undefined)
      .map((about): Relation => ['several', about, (model) => checkBulk(model, resource, about)]),
    ...actions.map((about): Relation => {
      return ['acted', about, (model) => checkActed(model, resource, about)];
    }),
    ...exportsOf(resource, run).flatMap((about): Relation[] => [
      ['exported', about, (model) => checkExported(model, resource, about)],
      ['other-tenant', access.isPrivate(about) && about, (model) => checkForeignExport(model, resource, about), inList],
    ]),
  ];
}

/** What an operation refuses, though another one would not, and what a condition changes. */
function ofOperation(baseline: Baseline, run: Run): Relation[] {
  const { baselines, resources } = run;
  const { operation, isPublic, isOwn } = baseline;
  const { path, method, responses } = operation;
  const refusing = baselines.find((each) => each.operation.path === path && each.refusals.method.length > 0);
  const hasOthers = !isOwn && refusing === baseline && protocol.unlistedMethods(baseline).length > 0;
  const owner = access.privateOwner(baseline, resources);
  const title = owner?.list === baseline ? inList : undefined;
  const isNotForReaders = !isOwn && !isPublic && access.isNotForReaders(baseline, baselines);
  const isOfReaders = !isOwn && !isPublic && method === 'get' && operation.scopes.length > 0 && !responses['403'];
  const isOfSeveral = !isOwn && !owner && access.isPrivate(baseline) && method === 'get' && !path.includes('{');
  const isConditional = method === 'get' && (responses['304'] ?? isOwn);
  return [
    ['refused', mayRefuse(baseline) && baseline, checkRefused],
    ['other-tenant', owner && baseline, (model) => access.checkForeign(model, owner as Resource, baseline), title],
    ['aggregated', isSummary(baseline, run) && baseline, checkAggregates],
    ['ranged', method === 'get' && responses['206'] && baseline, checkRanges],
    ['head', method === 'get' && baseline, protocol.checkHead],
    ['lesser', isNotForReaders && baseline, access.checkLesser],
    ['reader', isOfReaders && baseline, access.checkReader],
    ['other-tenant', isOfSeveral && listedSchema(operation) && baseline, access.checkUnseen, inList],
    [responses['304'] ? 'not-modified' : 'conditional', isConditional && baseline, protocol.checkConditional],
    ['unlisted-methods', hasOthers && baseline, protocol.checkUnlistedMethods],
  ];
}

/** What else it needs than the operation that it is about, a check finds out when it sends that. */
function checkOf([id, about, check, title = titles[id] ?? id]: Relation, run: Run): Check[] {
  if (!about) return [];
  const { operationId } = about.operation;
  return [
    {
      id: `generated.${operationId}.relation.${id}`,
      layer: 'generated',
      operation: operationId,
      source: 'document',
      title: `${operationId}: ${title}`,
      rules: [],
      // A check gives some parameters itself.
      needs: about.needs.filter((need) => !about.lacks.map(exampleOf).includes(need)),
      run: async (context) => {
        const model = new Model(context, run);
        try {
          await check(model, about, context);
        } finally {
          await model.cleanUp();
        }
      },
    },
  ];
}
