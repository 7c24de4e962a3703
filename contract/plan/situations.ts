/** Situations: who asks for what. Everything else in a request is a way of asking, which changes nothing. */
import { type Baseline, baselineOf, withQuery } from '../checks/baseline.ts';
import { pathVariants, unknownPaths } from '../checks/path-variants.ts';
import { isSafe } from '../conformance/safe-method.ts';
import { type Ask, asksOf } from '../dimensions/asks.ts';
import { type Caller, callersOf } from '../dimensions/callers.ts';
import { operationsOfPath } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import type { CheckContext, Need, RequestSpec, Source } from '../run/model.ts';

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
  readonly request: (context: Pick<CheckContext, 'credential'>) => RequestSpec;
}

/** Every situation of a document, each once. */
export function situationsOf(document: ApiDocument, seed: number): Situation[] {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  if (!isOwnApi(document)) return baselines.flatMap((baseline) => anySituations(baseline, seed));
  return [...baselines.flatMap((baseline) => operationSituations(baseline, seed)), ...otherPaths(baselines, seed)];
}

/** Of another API: what changes nothing, and refusals of callers. The plain response is for other checks to judge. */
function anySituations(baseline: Baseline, seed: number): Situation[] {
  const [valid, ...invalid] = callersOf(baseline, seed);
  const [plain] = asksOf(baseline);
  if (!valid || !plain) return [];
  const read = isSafe(baseline.operation.method) ? [situation(baseline, valid, plain, 'all')] : [];
  const refused = baseline.refusals.credential.length === 0 ? [] : invalid.slice(0, 2);
  return [...read, ...refused.map((caller) => situation(baseline, caller, plain, 'few'))];
}

function operationSituations(baseline: Baseline, seed: number): Situation[] {
  const [callers, asks] = [callersOf(baseline, seed), asksOf(baseline)];
  const few = callers.filter(({ isTypical }) => isTypical).slice(0, 4);
  return asks.flatMap((asked, index) =>
    callers.flatMap((caller) => {
      const isFirst = index === 0 || caller === callers[0];
      if (caller.isTypical && asked.isTypical) return [situation(baseline, caller, asked, isFirst ? 'all' : 'few')];
      // What is not typical is asked by a few callers, and each caller asks for something typical.
      const isAsked = caller.isTypical ? few.includes(caller) : index === 0 || (asked.isTypical && index < 4);
      return isAsked && (caller.isTypical || asked.isTypical) ? [situation(baseline, caller, asked, 'plain')] : [];
    }),
  );
}

function situation(baseline: Baseline, caller: Caller, asked: Ask, ways: Situation['ways']): Situation {
  const { operation, anonymousNeeds } = baseline;
  return {
    name: `${operation.operationId} by ${caller.name}${asked.name === '' ? '' : ` ${asked.name}`}`,
    source: caller.source === 'decision' ? 'decision' : asked.source === 'decision' ? 'decision' : caller.source,
    needs: [...new Set<Need>([...caller.needs, ...asked.needs, ...anonymousNeeds])],
    isEssential: asked.isTypical && asked.name === '',
    ways,
    request: (context) => {
      const { headers, query } = caller.present((name) => context.credential(name));
      const request = baseline.request(context, { ...asked.changes(context), credential: headers });
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
    const variants = baseline.isOwn
      ? Object.keys(pathVariants(template, template)).filter(
          (name) => operationsOfPath(document, pathVariants(template, template)[name] ?? '').length === 0,
        )
      : [];
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
  if (!first.isOwn && document.serviceResponses['404'] === undefined) return ofPaths;
  return [
    ...ofPaths,
    ...both(first, seed).flatMap(([caller]) =>
      Object.entries(unknownPaths).map(([name, path]) =>
        situation(
          first,
          caller,
          other(`at an unknown path (${name})`, () => ({ method: 'GET', path, ...withoutBody('GET') })),
          name === 'word' ? 'all' : 'plain',
        ),
      ),
    ),
  ];
}

function other(name: string, changes: Ask['changes']): Ask {
  return { name, changes, source: 'decision', needs: [], isTypical: false };
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
