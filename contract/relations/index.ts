/** Relations between requests that hold for any API. One exists for each operation whose document has what it needs. */
import type { ApiDocument, Parameter } from '../document/model.ts';
import { otherEntry } from '../dimensions/credential-scheme.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { Check, CheckContext, Need } from '../run/model.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import * as access from './access.ts';
import { type At, headerOf, type Run, typed } from './exchange.ts';
import { checkActed, checkCounted, countersOf } from './actions.ts';
import { checkBulk, listIn } from './bulk.ts';
import { checkEdges, checkSaved } from './edges.ts';
import { checkLinks, linkTargets } from './links.ts';
import * as lists from './lists.ts';
import { Model } from './model.ts';
import {
  isAtOrBelow,
  isBelowParent,
  ownerOf,
  pathNames,
  type Resource,
  resourcesOf,
  type Upload,
} from './resources.ts';
import * as state from './state.ts';
import { checkForeignUpload, checkUploaded } from './uploads.ts';

const edges = 'values at every edge of the schema are accepted and come back as they were sent';

/** What each relation promises, by its id. */
const titles: Readonly<Record<string, string>> = {
  created: 'what was created is found by an identifier of its own, at its Location and once in lists, as it was sent',
  removed: 'what was removed is gone, its removal can be repeated, and nothing else goes with it',
  replaced: 'what was replaced is found as it was sent, and nothing else is replaced',
  changed: 'what was changed is found so, and nothing else changes, also at the same time',
  acted: 'what an action shows of an item is what is read then, and nothing else changes',
  'belongs-to-one': 'what belongs to one item is not found under another',
  several: 'each of several items that are created at once is found as it was sent',
  edges,
  'replaced-edges': edges,
  saved: 'what was saved is read so, at every edge of its schema',
  limited: 'a page has as many items as its limit says',
  paged: 'pages are disjoint and complete, also of a filtered and a sorted list',
  'query-defaults': 'a query parameter that is left out has its default',
  sorted: 'the list has the order that is asked for, across its pages',
  'filtered-together': 'of several filters, all hold',
  'other-tenant': 'what one tenant made, another can neither read nor change',
  'stale-precondition': 'a stale precondition is refused with 412 and changes nothing',
  conflict: 'what conflicts with what there is conflicts at the same time, too',
  'repeated-key': 'a repeated idempotency key creates nothing more',
  uploaded: 'an upload comes back byte for byte',
  'not-modified': 'a request with the validator of the last response gets 304',
  conditional: 'a request with the validator of the last response gets all of it',
  'unlisted-scheme': 'a scheme that the operation does not list opens nothing',
  'unlisted-methods': 'every method that the path does not document gets 405',
  links: 'each link of a response leads to a documented success, and to what belongs to the response',
  walk: 'random walks of creating, updating, removing and listing agree with a model after each step',
};
const foreignList = 'what one tenant made, another does not find in lists';
const foreignKey = 'the key of one tenant means nothing for another';

/** The operation that a relation is about, if the document promises the relation. */
type About = Baseline | false | undefined;

/** What holds between requests, and how it is checked. */
interface Relation {
  readonly id: string;
  readonly about: About;
  readonly check: (model: Model, about: Baseline, context: CheckContext) => Promise<void>;
  /** If it is not that of the id. */
  readonly title?: string | undefined;
  /** The other operations that it calls. */
  readonly uses?: readonly (Baseline | undefined)[];
  /** The operations that another tenant calls, too. */
  readonly foreign?: readonly (Baseline | undefined)[];
  readonly needs?: readonly Need[];
}

/** A relation of a resource. */
type Row = readonly [
  id: string,
  about: About,
  check: (model: Model, resource: Resource, about: Baseline) => Promise<void>,
  more?: Pick<Relation, 'title' | 'uses' | 'foreign'>,
];

/** The relations of a document, as checks. The seed determines the random walks. */
export function relationChecks(document: ApiDocument, seed: number): Check[] {
  const run = runOf(document, seed);
  const walked = state.walkedResources(run.resources);
  const walk: Relation = {
    ...{ id: 'walk', about: walked[0]?.create, uses: walked.map(({ create }) => create) },
    check: (model, _about, context) => state.checkWalks(model, walked, context),
  };
  const relations = [
    ...[...run.resources, ...run.settings].flatMap(ofResource),
    ...run.searches.flatMap((each) => ofResource(each).filter(({ about }) => about === each.list)),
    ...run.uploads.flatMap(ofUpload),
    ...run.resources.flatMap((resource) => ofOthers(resource, run)),
    ...run.baselines.flatMap((baseline) => ofOperation(baseline, run)),
    walk,
  ];
  return relations.flatMap((relation) => checkOf(relation, run));
}

function runOf(document: ApiDocument, seed: number): Run {
  const tag = (seed % 46_656).toString(36) + (Date.now() % 46_656).toString(36);
  const counts = { requests: 0, identifiers: 0 };
  return { ...resourcesOf(document), ...counts, tag, bodies: new Map(), freedoms: new Map(), accepted: new Map() };
}

/**
 * Creates an item of each kind that the suite can create. What cannot be created has the example that it had.
 * @returns the document, with their identifiers as the examples of its path parameters, and what removes them
 */
export async function withItems(options: SessionOptions, document: ApiDocument) {
  const run = runOf(document, options.seed);
  const client = new Model(new Session(options, { needs: run.baselines.flatMap(({ needs }) => needs) }), run);
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
  const operations = run.baselines.map(async (baseline) => {
    const { operation } = baseline;
    const owner = ownerOf(operation.path, [...found.keys()]);
    const [own = {}, given] = [owner && found.get(owner), givenIn(operation.parameters)];
    const isOwn = Object.entries(given).every(([name, text]) => (own[name] ?? text) === text);
    const at = isOwn ? { ...own, ...given } : given;
    const place = owner && { resource: owner, at, id: '', caller: 'own' as const };
    const [[, etag] = []] = place ? await client.matching(place, baseline).catch(() => []) : [];
    const parameters = operation.parameters.map((parameter) => {
      const { in: of, name, schema } = parameter;
      if (of === 'header' && /^if-match$/i.test(name) && etag !== undefined) return { ...parameter, example: etag };
      const text = of === 'path' ? at[name] : undefined;
      const isText = schema.type === 'string';
      return text === undefined
        ? parameter
        : { ...parameter, example: typed(isText ? '' : 0, decodeURIComponent(text)) };
    });
    return { ...operation, parameters };
  });
  return { document: { ...document, operations: await Promise.all(operations) }, cleanUp: () => client.cleanUp() };
}

/** The path parameters that the tester gives. */
function givenIn(parameters: readonly Parameter[]): At {
  const inPath = parameters.filter((each) => each.in === 'path' && each.value !== undefined);
  return Object.fromEntries(inPath.map((each) => [each.name, pathTextOf(each, each.value) ?? '']));
}

function ofResource(resource: Resource): Relation[] {
  const { create, read, list, replace, change, remove, parent, query, isSingle } = resource;
  const { paging: { limit, ...position } = {}, orders = [], filters = [], defaults = [] } = query ?? {};
  const isFound = create && (read ?? list);
  const hasKey = create && headerOf(create, access.keyHeader);
  const [found, made] = [{ uses: [create, read, list] }, { uses: [create] }];
  const updates = [replace === create ? undefined : replace, change, remove];
  const foreign = (about: Baseline | undefined, title?: string, check = access.checkForeign): Row => {
    const isOfTenant = access.isPrivate(create) && access.isPrivate(about);
    return ['other-tenant', isOfTenant && about, check, { uses: [create, read], foreign: [create, about], title }];
  };
  const stale = (about: Baseline | undefined): Row => {
    const isPromised = about?.operation.responses['412'] && headerOf(about, /^if-match$/i);
    const isSeen = isFound && (change ?? replace);
    return ['stale-precondition', isPromised && isSeen && about, access.checkStale, { uses: [create, read] }];
  };
  const rows: readonly Row[] = [
    ['saved', isSingle && (replace ?? change), checkSaved, { uses: [read] }],
    ['created', isFound && create, state.checkCreated, found],
    ['removed', isFound && remove, state.checkRemoved, found],
    ['replaced', isFound && replace, state.checkUpdated, found],
    ['changed', isFound && change, state.checkUpdated, found],
    ['belongs-to-one', isFound && isBelowParent(resource) && parent?.create && create, state.checkBelonging, found],
    ['edges', isFound && create.json && create, checkEdges, found],
    [replace === create ? 'replaced-edges' : 'edges', isFound && replace, checkEdges, found],
    ['edges', isFound && change, checkEdges, found],
    ['limited', limit && list, lists.checkLimit, made],
    ['paged', limit && Object.keys(position).length > 0 && list, lists.checkPages, made],
    ['query-defaults', defaults[0] && list, lists.checkDefaults, made],
    ['sorted', orders[0] && list, lists.checkOrders, made],
    ['filtered-together', lists.equalFilters(resource)[1] && list, lists.checkFilters, made],
    ...filters.map((filter): Row => {
      const title = `${filter.key} finds what matches, all of it, and nothing else`;
      return [
        `filtered.${filter.key}`,
        list,
        (model) => lists.checkFilter(model, resource, filter),
        { ...made, title },
      ];
    }),
    ...[read, ...updates].map((about) => foreign(about)),
    foreign(list, foreignList),
    foreign(hasKey && create, foreignKey, access.checkForeignKey),
    ...[replace, change, remove].map(stale),
    ['repeated-key', hasKey && create, access.checkRepeatedKey],
    ['conflict', isFound && create.operation.responses['409'] && create, access.checkConflict, found],
  ];
  return rows.map(([id, about, check, more]) => ({
    ...{ id, about, ...more },
    check: (model, by) => check(model, resource, by),
  }));
}

/** What acts on items of a resource beside its own operations: on several at once, or on one, and numbers that count them. */
function ofOthers(resource: Resource, { baselines, resources }: Run): Relation[] {
  const { path: item, create, read, list } = resource;
  if (!create || !(read ?? list)) return [];
  const uses = [create, read, list];
  const creators = resources.map((each) => each.create);
  const bulk = baselines.filter((each) => listIn(each, resource) !== undefined);
  const actions = baselines.filter((each) => {
    const { method, path } = each.operation;
    const isBelow = path.startsWith(`${item}/`) && !/[{/]/.test(path.slice(item.length + 1));
    return method === 'post' && isBelow && !creators.includes(each);
  });
  return [
    ...bulk.map((about): Relation => ({
      id: 'several',
      about,
      uses,
      check: (model) => checkBulk(model, resource, about),
    })),
    ...actions.map((about): Relation => ({
      id: 'acted',
      about,
      uses,
      check: (model) => checkActed(model, resource, about),
    })),
    ...countersOf(resource, resources).map((counter): Relation => ({
      ...{ id: `counted.${counter.field}`, title: `${counter.field} counts what is created and removed` },
      ...{ about: create, uses: [...uses, counter.of.create, counter.of.read] },
      check: (model) => checkCounted(model, resource, counter),
    })),
  ];
}

function ofUpload(upload: Upload): Relation[] {
  const { read, write, field } = upload;
  // The identifier of what a form creates is known only then.
  const [opened, uses] = field === undefined ? [read, [read]] : [write, []];
  const isOfTenant = access.isPrivate(read) && access.isPrivate(write);
  const title = 'what one tenant uploaded, another can neither read nor replace';
  const foreign = { about: isOfTenant && opened, uses: [write], foreign: [read, write] };
  return [
    { id: 'uploaded', about: write, uses, check: (model) => checkUploaded(model, upload) },
    { id: 'other-tenant', title, ...foreign, check: (model) => checkForeignUpload(model, upload) },
  ];
}

/** What an operation refuses, though another one would not, and what a condition changes. */
function ofOperation(baseline: Baseline, { baselines, resources }: Run): Relation[] {
  const { operation, isPublic, isOwn, refusals } = baseline;
  const { path, method, responses } = operation;
  const uses = [ownerOf(path, resources)?.create];
  const schemes = access.unlistedSchemes(baseline);
  const needs = schemes.map(({ credential }) => credential);
  const opensNothing = !isOwn && !isPublic && refusals.credential.length > 0 && schemes.length > 0;
  const refusing = baselines.find((each) => each.operation.path === path && each.refusals.method.length > 0);
  const hasOthers = !isOwn && refusing === baseline && access.unlistedMethods(baseline).length > 0;
  const isConditional = method === 'get' && (responses['304'] ?? isOwn);
  const targets = linkTargets(baseline);
  const validated = responses['304'] ? 'not-modified' : 'conditional';
  const ofTargets = targets.flatMap((each) => each.schemes.map(({ credential }) => credential));
  return [
    { id: validated, about: isConditional && baseline, check: access.checkConditional },
    { id: 'unlisted-scheme', about: opensNothing && baseline, check: access.checkUnlistedSchemes, uses, needs },
    { id: 'unlisted-methods', about: hasOthers && baseline, check: access.checkUnlistedMethods, uses },
    { id: 'links', about: targets.length > 0 && baseline, check: checkLinks, uses, needs: ofTargets },
  ];
}

function checkOf(relation: Relation, run: Run): Check[] {
  const { id, about, check, title = titles[id], uses = [], foreign = [], needs = [] } = relation;
  if (!about) return [];
  const { operationId } = about.operation;
  const others = foreign.flatMap((each) => each?.schemes.map(({ credential }) => otherEntry(credential)) ?? []);
  const used = [about, ...uses].filter((each) => each !== undefined);
  const above = run.resources.filter((each) => used.some(({ operation }) => isAtOrBelow(operation.path, each)));
  const own = [...used, ...above.map(({ create }) => create)].flatMap((each) => each?.needs ?? []);
  return [
    {
      id: `generated.${operationId}.relation.${id}`,
      layer: 'generated',
      operation: operationId,
      source: 'document',
      title: `${operationId}: ${title ?? id}`,
      rules: [],
      needs: [...new Set([...own, ...others, ...needs])],
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
