/** Situations: who asks for what. Everything else in a request is a way of asking, which changes nothing. */
import { isSafe } from '../oracle/request.ts';
import { type Ask, ask, type Choice, type Documented } from '../dimensions/choice.ts';
import { asksOf } from '../dimensions/asks.ts';
import { anonymous, type Caller, callersOf, ignoredCredentials } from '../dimensions/callers.ts';
import { defaultChoices } from '../dimensions/parameter-texts.ts';
import { malformedMessages, pathVariants, unknownPaths } from '../dimensions/paths.ts';
import { operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CheckContext, CredentialName, Guess, LimitedBy, Need, RequestSpec, Source } from '../run/model.ts';
import type { Scenario } from '../own-api/written-scenarios.ts';
import { type Baseline, baselineOf, withQuery } from './baseline.ts';
import { identifiersOf } from './parameters.ts';
import { limitSpent, type State, storeFailing } from './states.ts';

/** A caller that asks for something. */
export interface Situation {
  /** As in `updateVerificationSetting by viewer_key with an empty body`. */
  readonly name: string;
  /** The operation that it is about. */
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
  readonly request: (context: Pick<CheckContext, 'credential'>) => RequestSpec;
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
  return [
    ...baselines.map((baseline) => () => documentedSituations(baseline, seed)),
    () =>
      first && document.serviceResponses['404']
        ? askedPaths.map(([, asked]) => ofService(first, { ...asked, documented }))
        : [],
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
      if (caller.isValid === true) return [situation(baseline, caller, plain, 'sample')];
      const ways = caller.isTypical ? 'few' : 'sample';
      return refusals.credential.length === 0 ? [] : [situation(baseline, caller, refused, ways)];
    }),
  ];
}

/** What the first caller asks for, or the one of a scenario. */
export function callerSituation(
  baseline: Baseline,
  { credential, identifiers = {}, query, headers = {}, body }: Scenario,
  asked: Ask = ask('as written', () => ({})),
): Situation {
  const { operation, document, schemes } = baseline;
  const [scheme] = schemes;
  const entries = Object.values(identifiers);
  const replaced = Object.keys(headers).map((name) => name.toLowerCase());
  const known: Need[] = Object.values(identifiersOf(operation, document));
  return {
    ...situation(baseline, callersOf(baseline, 1)[0] ?? anonymous, asked, 'sample'),
    needs: [
      ...new Set<Need>([
        ...(scheme ? [credential ?? scheme.credential, ...schemes.slice(1).map((other) => other.credential)] : []),
        ...entries,
        ...baseline.anonymousNeeds.filter((need) => entries.length === 0 || !known.includes(need)),
      ]),
    ],
    request: (scene) => {
      const ids = Object.entries(identifiers).map(([name, entry]) => [
        name,
        encodeURIComponent(scene.credential(entry)),
      ]);
      const path = baseline.path(scene, Object.fromEntries(ids) as Record<string, string>);
      const request = baseline.request(
        { credential: (name) => scene.credential(name === scheme?.credential ? (credential ?? name) : name) },
        {
          path: query === undefined ? path : `${path.replace(/\?.*/s, '')}?${query}`,
          ...(body !== undefined && { body, content: (baseline.json ?? baseline.form)?.content ?? [] }),
          ...asked.changes(scene),
        },
      );
      const kept = (request.headers ?? []).filter(([name]) => !replaced.includes(name.toLowerCase()));
      return { ...request, headers: [...kept, ...Object.entries(headers)] };
    },
  };
}

/** A request that is not of any operation. */
function ofService(first: Baseline, asked: Ask): Situation {
  const found = situation(first, anonymous, asked, 'plain');
  const { documented } = asked;
  return {
    ...found,
    needs: [],
    guessed: [],
    ...(documented && { documented: { ...documented, operation: undefined } }),
  };
}

/**
 * Typical callers ask for everything that is typical; the first caller asks for everything, and every caller makes the plain
 * request. What is not typical is asked once by another caller in turn, and each caller that is not asks once more.
 */
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
    isEssential: asked.isTypical && asked.name === '',
    ways,
    isTypical,
    same: isValid ? [...defaultChoices(baseline), ...(isOwn ? ignoredCredentials(baseline) : [])] : [],
    ...(documented && { documented: { ...documented, operation } }),
    // Without a valid credential, no value is looked at.
    guessed: caller.isValid === true ? guessed : [],
    request: (context) => {
      const { headers, query } = caller.present((name) => context.credential(name));
      const request = edit(baseline.request(context, { ...asked.changes(context), credential: headers }));
      return query === undefined ? request : { ...request, path: withQuery(request.path, query) };
    },
  };
}

/**
 * What callers get once a limit is used up, or while the store fails: those who are beyond the limit, whatever they ask for, and
 * those who are not.
 */
export function stateSituations(baseline: Baseline, seed: number): Situation[] {
  const { operation, isPublic, isOwn, request } = baseline;
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
    return {
      ...asUsual,
      name: `${asUsual.name} ${state.name}`,
      needs: [...new Set([...asUsual.needs, ...state.needs])],
      same: [],
      state,
    };
  };
  const other = (name: string, changes: Partial<RequestSpec>): Ask =>
    ask(name, () => ({}), { source: 'decision', edit: (edited) => ({ ...edited, ...changes }) });
  const beyondLimit = (spender: Caller, served: Caller | undefined, by: LimitedBy): Situation[] => {
    const state = limitSpent(spender.name, by, spender.needs, (scene) =>
      request(scene, {
        ...spending.changes(scene),
        credential: spender.present((name) => scene.credential(name)).headers,
      }),
    );
    // That a limit comes before the permission, or counts failed authentications, is a decision.
    const isPromised = by !== 'address' && (isRead || spender === first);
    const decided = (asked: Ask): Ask => (isPromised ? asked : { ...asked, source: 'decision' });
    if (!isOwn)
      return [
        { ...inState(state, spender, plain, 'sample'), documented: { promise: 'limit', statuses: [429], operation } },
      ];
    return [
      ...(spender === absent ? refused : [spender]).map((caller) =>
        inState(state, caller, decided(plain), caller === spender ? 'all' : 'few'),
      ),
      ...asks.slice(1).map((asked) => inState(state, spender, decided(asked), 'few')),
      ...(served ? [inState(state, served, { ...plain, source: 'decision' }, 'few')] : []),
      inState(state, spender, other('with the method POST', { method: 'POST' }), 'sample'),
      inState(state, spender, other('at an unknown path', { path: '/no-such-path' }), 'sample'),
    ];
  };
  const isLimited = operation.responses['429'] !== undefined;
  const isRead = isSafe(operation.method);
  // A limit of others is used up only with reads, and the limit that other checks need least.
  const spenders = isRead ? [valid[0] ?? first] : [first, ...valid.slice(1, 2)];
  const limits = isLimited && (isOwn || isRead) ? spenders : [];
  return [
    ...limits.flatMap((spender) =>
      beyondLimit(
        spender,
        spender === first ? valid[0] : first,
        isPublic ? 'address' : (spender.needs[0] as CredentialName),
      ),
    ),
    ...(isOwn && isLimited && !isPublic && absent ? beyondLimit(absent, first, 'address') : []),
    ...(isOwn && !isPublic ? storeFailing : []).flatMap((state) =>
      asks
        .filter((asked) => !asked.name.includes('body') || asked.name.includes('.false'))
        .map((asked) => inState(state, first, asked, asked === plain ? 'all' : 'few')),
    ),
  ];
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'QUERY'];

/** Paths and methods that the document does not have, each with and without a credential. */
function otherPaths(baselines: readonly Baseline[], seed: number): Situation[] {
  const [first] = baselines;
  if (!first) return [];
  const { document } = first;
  const byPath = new Map(baselines.map((baseline) => [baseline.operation.path, baseline]));
  const ofPaths = [...byPath.values()].flatMap((baseline) => {
    const { path: template } = baseline.operation;
    const documented = operationsOfPath(document, template).map(({ method }) => method.toUpperCase());
    const undocumented = methods.filter(
      (method) => !documented.includes(method) && !(method === 'HEAD' && documented.includes('GET')),
    );
    const variants = Object.keys(pathVariants(template, template)).filter(
      (name) => operationsOfPath(document, pathVariants(template, template)[name] ?? '').length === 0,
    );
    return both(baseline, seed).flatMap(([caller, isFirst]) => [
      ...undocumented.map((method) =>
        situation(
          baseline,
          caller,
          other(`with the method ${method}`, () => ({ method, ...withoutBody(method) })),
          'few',
        ),
      ),
      ...variants.flatMap((name) =>
        ['GET', 'PUT', 'OPTIONS'].slice(0, isFirst ? 3 : 1).map((method) =>
          situation(
            baseline,
            caller,
            other(`with the method ${method} at a path with ${name.replaceAll('-', ' ')}`, (context) => {
              const [path = ''] = baseline.path(context).split('?');
              return { method, path: pathVariants(template, path)[name] ?? '', ...withoutBody(method) };
            }),
            isFirst && method === 'GET' ? 'few' : 'sample',
            name === 'trailing-slash',
          ),
        ),
      ),
    ]);
  });
  return [
    ...ofPaths,
    ...both(first, seed).flatMap(([caller, isFirst]) =>
      askedPaths.map(([name, asked]) =>
        situation(first, caller, asked, name === 'word' && isFirst ? 'all' : 'few', name === 'word'),
      ),
    ),
  ];
}

function other(name: string, changes: Ask['changes']): Ask {
  return ask(name, changes, { source: 'decision' });
}

const askedPaths = Object.entries(unknownPaths).map(
  ([name, path]) =>
    [name, other(`at an unknown path (${name})`, () => ({ method: 'GET', path, ...withoutBody('GET') }))] as const,
);

function both(baseline: Baseline, seed: number): [caller: Caller, isFirst: boolean][] {
  const callers = callersOf(baseline, seed);
  return [callers[0], callers.find(({ name }) => /absent$/.test(name))].flatMap((caller, index) =>
    caller ? [[caller, index === 0]] : [],
  );
}

function withoutBody(method: string) {
  const content: [string, string][] = isSafe(method) ? [] : [['Content-Length', '0']];
  return { content, body: undefined };
}
