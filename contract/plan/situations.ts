/** Situations: who asks for what. Everything else in a request is a way of asking, which changes nothing. */
import { isSafe } from '../oracle/request.ts';
import { type Ask, ask, type Choice, type Documented } from '../dimensions/choice.ts';
import { asksOf } from '../dimensions/asks.ts';
import { anonymous, type Caller, callersOf, ignoredCredentials } from '../dimensions/callers.ts';
import { defaultChoices } from '../dimensions/parameter-texts.ts';
import { malformedMessages, pathVariants, unknownPaths } from '../dimensions/paths.ts';
import { allowedMethods, operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { mapValues } from '../document/schemas.ts';
import type { CredentialName, Guess, LimitedBy, Need, RequestSpec, Source } from '../run/model.ts';
import type { Scenario } from '../own-api/written-scenarios.ts';
import { type Baseline, baselineOf, type Changes } from './baseline.ts';
import { identifiersOf, type Scene } from './parameters.ts';
import { limitSpent, type State, storeFailing } from './states.ts';

export interface Situation {
  /** As in `updateVerificationSetting by viewer_key with an empty body`. */
  readonly name: string;
  readonly operation: Operation;
  readonly source: Source;
  readonly needs: readonly Need[];
  /** Whether it is asked however long that takes; the others as far as the time of a check allows. */
  readonly isEssential: boolean;
  /** In how many ways it is asked: in all of them, with each choice once, in a sample of them, or in the plain way alone. */
  readonly ways: 'all' | 'few' | 'sample' | 'plain';
  /** Whether it stands for others of its kind: what is told of the promise is told by it. */
  readonly isTypical: boolean;
  /** Ways that change nothing of this request alone. */
  readonly same: readonly Choice[];
  /** What decides the response, where the document alone says so; of any other situation, the oracle says it. */
  readonly documented?: Documented & { readonly operation: Operation | undefined };
  /** Values in the request that were guessed. */
  readonly guessed: readonly Guess[];
  /** The state of the target in which it is asked, if not the usual one. */
  readonly state?: State;
  readonly request: (context: Scene) => RequestSpec;
}

/** Every situation of a document, each once. */
export function situationsOf(document: ApiDocument, seed: number): Situation[] {
  return situationParts(document, seed).flatMap((part) => part());
}

/** The situations in parts that are made when they are needed: of another API, those of each operation, as it may have hundreds. */
export function situationParts(document: ApiDocument, seed: number): (() => Situation[])[] {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const [first] = baselines;
  if (isOwnApi(document))
    return [
      () => [
        ...baselines.flatMap((each) => [...operationSituations(each, seed), ...stateSituations(each, seed)]),
        ...otherPaths(baselines, seed),
        ...(first ? malformedMessages.map((message) => ofService(first, message)) : []),
      ],
    ];
  const documented = { promise: 'path', statuses: [404] } as const;
  const paths = first && document.serviceResponses['404'] ? askedPaths(['GET']) : [];
  return [
    ...baselines.map((baseline) => () => documentedSituations(baseline, seed)),
    () => paths.map(([, asked]) => ofService(first as Baseline, { ...asked, documented })),
  ];
}

/** Of another API, one caller asks for everything; the others make the plain request, which some of them are refused. */
function documentedSituations(baseline: Baseline, seed: number): Situation[] {
  const { operation, refusals } = baseline;
  const [valid = anonymous, ...others] = callersOf(baseline, seed);
  const [plain, ...asks] = asksOf(baseline) as [Ask, ...Ask[]];
  const refused: Ask = { ...plain, documented: { promise: 'credential', statuses: refusals.credential } };
  return [
    situation(baseline, valid, plain, isSafe(operation.method) ? 'all' : 'sample'),
    ...asks.map((asked) => situation(baseline, valid, asked, 'sample')),
    ...others.flatMap((caller) => {
      if (caller.isValid === true) {
        const asked = situation(baseline, caller, plain, 'sample');
        // Another kind of credential may have other rights.
        const may = { what: `a request that ${caller.name} may make`, statuses: [403] };
        return [{ ...asked, guessed: [...asked.guessed, ...(operation.responses['403'] ? [may] : [])] }];
      }
      const ways = caller.isTypical ? 'few' : 'sample';
      return refusals.credential.length === 0 ? [] : [situation(baseline, caller, refused, ways)];
    }),
  ];
}

/** What the first caller asks for, or the one of a scenario. */
export function callerSituation(
  baseline: Baseline,
  { credential, identifiers = {}, body }: Scenario,
  asked: Ask = ask('as written', () => ({})),
): Situation {
  const { operation, document, schemes } = baseline;
  const [scheme] = schemes;
  const entries = Object.values(identifiers);
  const known: Need[] = Object.values(identifiersOf(operation, document));
  const held = schemes.map((each) => (each === scheme && credential ? credential : each.credential));
  const others = baseline.anonymousNeeds.filter((need) => entries.length === 0 || !known.includes(need));
  return {
    ...situation(baseline, callersOf(baseline, 1)[0] ?? anonymous, asked, 'sample'),
    needs: [...new Set<Need>([...held, ...entries, ...others])],
    request: (scene) =>
      baseline.request(
        { credential: (name) => scene.credential(name === scheme?.credential ? (credential ?? name) : name) },
        {
          path: baseline.path(
            scene,
            mapValues(identifiers, (entry) => encodeURIComponent(scene.credential(entry))),
          ),
          ...(body !== undefined && { body, content: (baseline.json ?? baseline.form)?.content ?? [] }),
          ...asked.changes(scene),
        },
      ),
  };
}

function ofService(first: Baseline, asked: Ask): Situation {
  const { documented, ...found } = situation(first, anonymous, asked, asked.isTypical ? 'few' : 'plain');
  return {
    ...found,
    needs: [],
    guessed: [],
    ...(documented && { documented: { ...documented, operation: undefined } }),
  };
}

/** The first caller asks for everything, typical ones for all that is typical, and everybody for the plain; others take turns. */
function operationSituations(baseline: Baseline, seed: number): Situation[] {
  const [callers, asks] = [callersOf(baseline, seed), asksOf(baseline)];
  const [first, ...others] = callers.filter(({ isTypical }) => isTypical);
  const typicalAsks = asks.filter(({ isTypical }) => isTypical);
  const turn = <Item>(items: readonly Item[], index: number) => items[index % items.length];
  return asks.flatMap((asked, index) =>
    callers.flatMap((caller, callerIndex) => {
      // What the document says of it, it says of a caller who may ask.
      if (asked.documented && caller !== first) return [];
      const isPlain = index === 0 || caller === first;
      if (caller.isTypical && asked.isTypical) {
        const isTypical = isPlain || caller.isValid === true;
        return [situation(baseline, caller, asked, isPlain ? 'all' : 'few', isTypical)];
      }
      if (caller.isOneOfMany === true) return index === 0 ? [situation(baseline, caller, asked, 'plain')] : [];
      if (isPlain) return [situation(baseline, caller, asked, 'few', false)];
      const inTurn = caller.isTypical ? caller === turn(others, index) : asked === turn(typicalAsks, callerIndex);
      return inTurn ? [situation(baseline, caller, asked, 'sample')] : [];
    }),
  );
}

function situation(
  baseline: Baseline,
  caller: Caller,
  asked: Ask,
  ways: Situation['ways'],
  isTypical = ways === 'all' || ways === 'few',
): Situation {
  const { operation, anonymousNeeds, isOwn, guessed } = baseline;
  const { documented, edit = (request: RequestSpec) => request } = asked;
  const isValid = asked.name === '' && caller.isTypical && caller.isValid === true;
  return {
    name: `${operation.operationId} by ${caller.name}${asked.name === '' ? '' : ` ${asked.name}`}`,
    operation,
    source: caller.source === 'decision' ? 'decision' : asked.source === 'decision' ? 'decision' : caller.source,
    needs: [...new Set<Need>([...caller.needs, ...asked.needs, ...anonymousNeeds])],
    isEssential: asked.isTypical && asked.name === '' && caller.isOneOfMany !== true,
    ways,
    isTypical,
    same: isValid ? [...defaultChoices(baseline), ...(isOwn ? ignoredCredentials(baseline) : [])] : [],
    ...(documented && { documented: { ...documented, operation } }),
    // Without a valid credential, no value is looked at.
    guessed: caller.isValid === true ? guessed : [],
    request: (context) => {
      const credential = caller.present((name) => context.credential(name));
      return edit(baseline.request(context, { ...asked.changes(context), credential }));
    },
  };
}

/** What callers get once a limit is used up, whether it is theirs or not, or while the store fails. */
export function stateSituations(baseline: Baseline, seed: number): Situation[] {
  const { operation, isPublic, isOwn } = baseline;
  const callers = callersOf(baseline, seed).filter(({ isTypical }) => isTypical);
  const [first, ...valid] = callers.filter(({ isValid }) => isValid);
  const refused = callers.filter(({ isValid }) => !isValid);
  const asks = asksOf(baseline).filter(({ isTypical }) => isTypical);
  const [plain, absent] = [asks[0], refused[0]];
  if (!first || !plain) return [];
  // A write that leaves what there is, if there is one.
  const spending = asks.find(({ name }) => name.endsWith('.false')) ?? plain;
  const inState = (state: State, caller: Caller, asked: Ask, ways: Situation['ways']): Situation => {
    const asUsual = situation(baseline, caller, asked, ways);
    const needs = [...new Set([...asUsual.needs, ...state.needs])];
    return { ...asUsual, name: `${asUsual.name} ${state.name}`, needs, same: [], state };
  };
  const edited = (name: string, changes: Partial<RequestSpec>): Ask =>
    ask(name, () => ({}), { source: 'decision', edit: (request) => ({ ...request, ...changes }) });
  const beyondLimit = (spender: Caller, served: Caller | undefined, by: LimitedBy): Situation[] => {
    const { request: spend } = situation(baseline, spender, spending, 'plain');
    const state = limitSpent(spender.name, by, spender.needs, spend);
    if (!isOwn) {
      const documented = { promise: 'limit', statuses: [429], operation } as const;
      return [{ ...inState(state, spender, plain, 'sample'), documented }];
    }
    // That a limit comes before the permission, or counts failed authentications, is a decision.
    const isPromised = by !== 'address' && (isRead || spender === first);
    const decided = (asked: Ask): Ask => (isPromised ? asked : { ...asked, source: 'decision' });
    return [
      ...(spender === absent ? refused : [spender]).map((caller) =>
        inState(state, caller, decided(plain), caller === spender ? 'all' : 'few'),
      ),
      ...asks.slice(1).map((asked) => inState(state, spender, decided(asked), 'sample')),
      ...(served ? [inState(state, served, { ...plain, source: 'decision' }, 'few')] : []),
      inState(state, spender, edited('with the method POST', { method: 'POST' }), 'sample'),
      inState(state, spender, edited('at an unknown path', { path: '/no-such-path' }), 'sample'),
    ];
  };
  const isLimited = operation.responses['429'] !== undefined;
  const isRead = isSafe(operation.method);
  // A limit of others is used up only with reads, and the limit that other checks need least.
  const spenders = isRead ? [valid[0] ?? first] : [first, ...valid.slice(1, 2)];
  const limits = isLimited && (isOwn || isRead) ? spenders : [];
  return [
    ...limits.flatMap((spender) => {
      const served = spender === first ? valid[0] : first;
      return beyondLimit(spender, served, isPublic ? 'address' : (spender.needs[0] as CredentialName));
    }),
    ...(isOwn && isLimited && !isPublic && absent ? beyondLimit(absent, first, 'address') : []),
    ...(isOwn && !isPublic ? storeFailing : []).flatMap((state) =>
      asks
        .filter((asked) => !asked.name.includes('body') || asked.name.includes('.false'))
        .map((asked) => inState(state, first, asked, asked === plain ? 'all' : 'few')),
    ),
  ];
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'QUERY'];
const rareMethods = ['M-SEARCH', 'PROPFIND', 'LOCK', 'SEARCH', 'COPY', 'LINK', 'REPORT'];
const writing = ['POST', 'PUT', 'PATCH', 'DELETE'];

function otherPaths(baselines: readonly Baseline[], seed: number): Situation[] {
  const [first] = baselines;
  if (!first) return [];
  const { document } = first;
  const byPath = new Map(baselines.map((baseline) => [baseline.operation.path, baseline]));
  const { text, content = [] } = baselines.find(({ json }) => json)?.json ?? {};
  const update: Changes = { content, body: text };
  const form: Changes = {
    content: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: '_method=PUT&enabled=true&enabled=false',
  };
  const ofPaths = [...byPath.values()].flatMap((baseline) => {
    const { path: template } = baseline.operation;
    const allowed = allowedMethods(document, template);
    const isUndocumented = (method: string) => !allowed.includes(method);
    const plainly = (method: string) => other(`with the method ${method}`, () => ({ method, ...withoutBody(method) }));
    const withBody = (method: string) => other(`with the method ${method} and a body`, () => ({ method, ...update }));
    const withForm = other('with the method POST and a form that names PUT', () => ({ method: 'POST', ...form }));
    const undocumented = methods.filter(isUndocumented).map(plainly);
    const others = [...rareMethods.map(plainly), ...writing.filter(isUndocumented).map(withBody), withForm];
    const variants = Object.entries(pathVariants(template, template))
      .filter(([, path]) => operationsOfPath(document, path).length === 0)
      .map(([name]) => name);
    const atVariant = (name: string, method: string) =>
      other(`with the method ${method} at a path with ${name.replaceAll('-', ' ')}`, (context) => {
        const [path = ''] = baseline.path(context).split('?');
        return { method, path: pathVariants(template, path)[name] ?? '', ...withoutBody(method) };
      });
    return both(baseline, seed).flatMap(([caller, isFirst]) => [
      ...undocumented.map((asked) => situation(baseline, caller, asked, 'few')),
      ...(isFirst ? others : []).map((asked) => situation(baseline, caller, asked, 'sample')),
      ...variants.flatMap((name) =>
        ['GET', 'PUT', 'OPTIONS'].slice(0, isFirst ? 3 : 1).map((method) => {
          const ways = isFirst && method === 'GET' ? 'few' : 'sample';
          return situation(baseline, caller, atVariant(name, method), ways, name === 'trailing-slash');
        }),
      ),
    ]);
  });
  return [
    ...ofPaths,
    ...both(first, seed).flatMap(([caller, isFirst]) =>
      askedPaths(isFirst ? ['GET'] : methods).map(([name, asked]) =>
        situation(first, caller, asked, name === 'word' && isFirst ? 'all' : 'few', name === 'word'),
      ),
    ),
  ];
}

function other(name: string, changes: Ask['changes']): Ask {
  return ask(name, changes, { source: 'decision' });
}

/** Requests at unknown paths, each with one of these methods in turn. */
const askedPaths = (asked: readonly string[]) =>
  Object.entries(unknownPaths).map(([name, path], index) => {
    const method = asked[index % asked.length] ?? '';
    const changes = () => ({ method, path, ...withoutBody(method) });
    return [name, other(`with the method ${method} at an unknown path (${name})`, changes)] as const;
  });

function both(baseline: Baseline, seed: number): [caller: Caller, isFirst: boolean][] {
  const callers = callersOf(baseline, seed);
  const absent = callers.find(({ name }) => /absent$/.test(name));
  return callers
    .map((caller, index): [Caller, boolean] => [caller, index === 0])
    .filter(([caller, isFirst]) => isFirst || caller === absent);
}

function withoutBody(method: string) {
  const content: [string, string][] = isSafe(method) ? [] : [['Content-Length', '0']];
  return { content, body: undefined };
}
