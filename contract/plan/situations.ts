/** Situations: who asks for what. Everything else in a request is a way of asking, which changes nothing. */
import { isSafe } from '../oracle/request.ts';
import { type Ask, ask, type Documented } from '../dimensions/choice.ts';
import { asksOf } from '../dimensions/asks.ts';
import { anonymous, type Caller, callersOf, ignoredCredentials } from '../dimensions/callers.ts';
import type { Choice } from '../dimensions/choice.ts';
import { defaultChoices } from '../dimensions/parameter-texts.ts';
import { malformedMessages, pathVariants, unknownPaths } from '../dimensions/paths.ts';
import { operationsOfPath } from '../document/index.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CheckContext, Guess, Need, RequestSpec, Source } from '../run/model.ts';
import { type Baseline, baselineOf, withQuery } from './baseline.ts';

/** A caller that asks for something. */
export interface Situation {
  /** As in `updateVerificationSetting by viewer_key with an empty body`. */
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly Need[];
  /** Whether it is asked however long that takes; the others as far as the time of a check allows. */
  readonly isEssential: boolean;
  /** In how many ways it is asked: in all of them, in a few, or in the plain way alone. */
  readonly ways: 'all' | 'few' | 'plain';
  /** Ways that change nothing of this request alone. */
  readonly same: readonly Choice[];
  /** What decides the response, where the document alone says so; of any other situation, the oracle says it. */
  readonly documented?: Documented & { readonly operation: Operation | undefined };
  /** Values in the request that were guessed. */
  readonly guessed: readonly Guess[];
  readonly request: (context: Pick<CheckContext, 'credential'>) => RequestSpec;
}

/** Every situation of a document, each once. */
export function situationsOf(document: ApiDocument, seed: number): Situation[] {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const [first] = baselines;
  if (isOwnApi(document))
    return [
      ...baselines.flatMap((baseline) => operationSituations(baseline, seed)),
      ...otherPaths(baselines, seed),
      ...(first ? malformedMessages.map((message) => ofService(first, message)) : []),
    ];
  const unknown = first && document.serviceResponses['404'] ? Object.entries(unknownPaths) : [];
  return [
    ...baselines.flatMap((baseline) => documentedSituations(baseline, seed)),
    ...unknown.map(([name, path]) =>
      ofService(first as Baseline, {
        ...other(`at an unknown path (${name})`, () => ({ method: 'GET', path, ...withoutBody('GET') })),
        documented: { promise: 'path', statuses: [404] },
      }),
    ),
  ];
}

/** Of another API, one caller asks for everything; the others make the plain request, which some of them are refused. */
function documentedSituations(baseline: Baseline, seed: number): Situation[] {
  const { operation, refusals } = baseline;
  const [valid = anonymous, ...others] = callersOf(baseline, seed);
  const [plain, ...asks] = asksOf(baseline) as [Ask, ...Ask[]];
  const refused: Ask = { ...plain, documented: { promise: 'credential', statuses: refusals.credential } };
  return [
    situation(baseline, valid, plain, isSafe(operation.method) ? 'all' : 'plain'),
    ...asks.map((asked) => situation(baseline, valid, asked, 'plain')),
    ...others.flatMap((caller) => {
      if (caller.isValid === true) return [situation(baseline, caller, plain, 'plain')];
      const ways = caller.isTypical ? 'few' : 'plain';
      return refusals.credential.length === 0 ? [] : [situation(baseline, caller, refused, ways)];
    }),
  ];
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
 * Typical callers ask for everything that is typical; the caller that succeeds does so in all ways, as do all callers of the plain
 * request. What is not typical is asked by that caller and by another in turn, and each caller that is not asks twice.
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
      if (caller.isTypical && asked.isTypical) {
        const few = caller.isValid ? 'few' : 'plain';
        return [situation(baseline, caller, asked, index === 0 || caller === first ? 'all' : few)];
      }
      const isAsked = caller.isTypical
        ? caller === first || caller === turn(others, index)
        : index === 0 || asked === turn(typicalAsks, callerIndex);
      return isAsked ? [situation(baseline, caller, asked, 'plain')] : [];
    }),
  );
}

function situation(baseline: Baseline, caller: Caller, asked: Ask, ways: Situation['ways']): Situation {
  const { operation, anonymousNeeds, isOwn, guessed } = baseline;
  const { documented, edit = (request: RequestSpec) => request } = asked;
  const isValid = asked.name === '' && caller.isTypical && caller.isValid === true;
  return {
    name: `${operation.operationId} by ${caller.name}${asked.name === '' ? '' : ` ${asked.name}`}`,
    source: caller.source === 'decision' ? 'decision' : asked.source === 'decision' ? 'decision' : caller.source,
    needs: [...new Set<Need>([...caller.needs, ...asked.needs, ...anonymousNeeds])],
    isEssential: asked.isTypical && asked.name === '',
    ways,
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
            name === 'trailing-slash' ? 'few' : 'plain',
          ),
        ),
      ),
    ]);
  });
  return [
    ...ofPaths,
    ...both(first, seed).flatMap(([caller, isFirst]) =>
      Object.entries(unknownPaths).map(([name, path]) =>
        situation(
          first,
          caller,
          other(`at an unknown path (${name})`, () => ({ method: 'GET', path, ...withoutBody('GET') })),
          name !== 'word' ? 'plain' : isFirst ? 'all' : 'few',
        ),
      ),
    ),
  ];
}

function other(name: string, changes: Ask['changes']): Ask {
  return ask(name, changes, { source: 'decision' });
}

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
