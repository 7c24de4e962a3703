/** The situation that provokes each documented response. Asked in the plain way they are the layer `replay`, or a run of Dredd. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiDocument, MediaType, Operation } from '../document/model.ts';
import { type Expected, expectedOf, type PromiseName } from '../oracle/expected.ts';
import { parsed } from '../oracle/json.ts';
import { isJson } from '../oracle/body.ts';
import { refusedIdentifiers } from '../dimensions/asks.ts';
import { identifierParametersOf } from '../dimensions/identifiers.ts';
import { ask } from '../dimensions/choice.ts';
import { entryOf } from '../dimensions/credential-scheme.ts';
import { writtenScenarios } from '../own-api/written-scenarios.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import type { Check, CheckContext, HttpResponse, RequestSpec, Target } from '../run/model.ts';
import { notProvokable } from '../run/run-checks.ts';
import { type Baseline, baselineOf, expectStatus, expectSuccess } from './baseline.ts';
import { placeholderContext, placeholderWorld } from './placeholders.ts';
import { callerSituation, type Situation, situationsOf, stateSituations } from './situations.ts';
import { askPlainly } from './states.ts';

export interface ReplayCase {
  /** Such as `getCase.404`. */
  readonly label: string;
  readonly operation: Operation;
  /** A status code, or `default`. */
  readonly status: string;
  /** Undefined if the response has no JSON body. */
  readonly json: MediaType | undefined;
}

export function replayCases({ operations }: ApiDocument): ReplayCase[] {
  return operations.flatMap((operation) =>
    Object.entries(operation.responses).map(([status, { content }]) => {
      const [, json] = Object.entries(content).find(([mediaType]) => isJson(mediaType)) ?? [];
      return { operation, status, json, label: `${operation.operationId}.${status}` };
    }),
  );
}

/** A documented response with the situation that provokes it. */
export interface ProvokedResponse {
  readonly situation: Situation;
  readonly baseline: Baseline;
  readonly status: number;
  /** Other statuses with which the server may rightly respond; the check is then not run. */
  readonly insteadOf: readonly number[];
  /** The named example of the document that the response's body must equal. */
  readonly example: string | undefined;
}

/** The statuses that tell what decides a response. */
const telling: Partial<Record<PromiseName, readonly number[]>> = {
  body: [400, 422],
  parameters: [400, 422, 428],
  'not-found': [404, 410, 400, 422],
  credential: [401, 403],
  permission: [403],
  feature: [403],
  'media-type': [415],
  'body-size': [413],
  limit: [429],
  failure: [500, 503],
};

/** The situation of a documented response, or a message why there is none. */
export function provoke({ operation, status, json }: ReplayCase, document: ApiDocument): ProvokedResponse | string {
  const baseline = baselineOf(operation, document);
  const { success, isOwn, isPublic } = baseline;
  const isSuccess = [String(success), ...(operation.responses[success] ? [] : ['2XX', 'default'])].includes(status);
  const written = isOwn ? writtenScenarios[operation.operationId]?.[status] : undefined;
  const known = situationsByOperation(document).get(operation) ?? [];
  const found = (situation: Situation, insteadOf: readonly number[] = [], example?: string): ProvokedResponse => {
    return { situation, baseline, insteadOf, example, status: isSuccess ? success : Number(status) };
  };
  const [plain] = known;
  if (plain && !written && isSuccess && !(isOwn && status === 'default')) return found(plain.situation);
  const isCause = ({ expected: { promise, statuses } }: Known) =>
    [statuses, telling[promise] ?? []].every((each) => each.includes(Number(status)));
  // A typical one, and one that the server may refuse with as few other statuses as can be.
  // Where a server tells 400 from 422, what is no JSON gets 400.
  const isOther = ({ situation: { name }, expected: { statuses } }: Known) =>
    statuses.includes(422) && name.endsWith('truncated') !== (status === '400');
  const rank = (each: Known) =>
    (each.situation.isTypical ? 0 : 1000) +
    each.expected.statuses.length +
    (isOther(each) ? 10 : 0) -
    (each.expected.promise === 'permission' ? 2000 : 0);
  const [telltale] = known.filter(isCause).toSorted((a, b) => rank(a) - rank(b));
  const names = Object.entries(json?.examples ?? {}).flatMap(([name, { value }], _index, all) => {
    const isOfCode = (value as { error_code?: string }).error_code === telltale?.expected.code;
    return all.length === 1 || isOfCode ? [name] : [];
  });
  // Of a 400, the details say what is wrong with this one.
  const example = isOwn && telltale && status !== '400' && names.length === 1 ? names[0] : undefined;
  if (written) return found(callerSituation(baseline, written), [], written.example ?? example);
  if (status === 'default') return `${notProvokable}the document does not say which status this is`;
  if (isOwn && /^50[03]$/.test(status) && isPublic)
    return `${notProvokable}a public operation that reads no credential cannot be made to fail`;
  if (!telltale && isOwn)
    return 'no scenario is known: write what provokes it into contract/own-api/written-scenarios.ts';
  const isOfSeveral = ['304', '409', '412'].includes(status);
  if (!telltale && isOfSeveral) return `${notProvokable}one request alone does not cause it`;
  if (!telltale) return `${notProvokable}the document does not state what causes it`;
  const { situation, expected } = telltale;
  const insteadOf = expected.statuses.filter((each) => each !== Number(status));
  return found(situation, insteadOf, example);
}

interface Known {
  readonly situation: Situation;
  readonly expected: Expected;
}

const knownSituations = new WeakMap<ApiDocument, Map<Operation, Known[]>>();

/** Which of several situations of a kind is asked need not differ between runs. */
const seed = 1;

function situationsByOperation(document: ApiDocument): Map<Operation, Known[]> {
  const before = knownSituations.get(document);
  if (before) return before;
  const world = placeholderWorld(document);
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const situations = [
    ...situationsOf(document, seed),
    ...baselines.flatMap((baseline) => [...stateSituations(baseline, seed), ...loneSituations(baseline)]),
  ].map((situation) => {
    const takeBack = situation.state?.tell(world, placeholderContext);
    const expected = situation.documented ?? expectedOf(situation.request(placeholderContext), world);
    takeBack?.();
    return { situation, expected };
  });
  const known = Map.groupBy(situations, ({ situation }) => situation.operation);
  knownSituations.set(document, known);
  return known;
}

/** What is asked once alone: unknown identifiers of what may be created, or whose outcomes the oracle does not know, and invalid ones. */
function loneSituations(baseline: Baseline): Situation[] {
  const { operation, refusals, isOwn, success, json, schemes } = baseline;
  const { method, responses } = operation;
  const [scheme] = schemes;
  // What a PUT creates is known from then on: unknown is only what it belongs to.
  const creates = method === 'put' && responses['201'] !== undefined;
  const parameter = identifierParametersOf(operation).at(creates ? -2 : -1);
  const created = !isOwn && method === 'put' && !creates ? [success] : [];
  const unknown = refusals.unknown.length > 0 ? [...refusals.unknown, ...created] : [];
  const none = { body: '', content: [['Content-Length', '0']] } as const;
  const unknownType = { content: [['Content-Type', 'application/x-unknown']] } as const;
  const mediaTypeRefused = { promise: 'media-type', statuses: refusals.mediaType } as const;
  const situations = [
    ...(parameter ? refusedIdentifiers(baseline, parameter, unknown, false) : []),
    ...(!isOwn && operation.requestBody && refusals.mediaType.length > 0
      ? [ask('of an unknown media type', () => unknownType, { documented: mediaTypeRefused })]
      : []),
    ...(isOwn && operation.requestBody?.required === true && !json
      ? [ask('without a body', () => none, { documented: { promise: 'body', statuses: refusals.invalid } })]
      : []),
  ].map((asked) => callerSituation(baseline, {}, asked));
  if (isOwn || !scheme || !responses['403']) return situations;
  // Whether the document means this caller or another one, it seldom says.
  const forbidden = { promise: 'permission', statuses: [403, success, ...refusals.unknown] } as const;
  const lesser = { credential: entryOf('lesser', scheme.credential) };
  return [
    ...situations,
    callerSituation(
      baseline,
      lesser,
      ask('with fewer rights', () => ({}), { documented: forbidden }),
    ),
  ];
}

/** Sends the requests of a replay, and judges the response that is to be a documented one. */
export interface ReplayJudge {
  readonly send: (request: RequestSpec, documented: ReplayCase, context: CheckContext) => Promise<HttpResponse>;
  /** @throws {Error} if the response is another one */
  readonly judge: (
    response: HttpResponse,
    documented: ReplayCase,
    provoked: ProvokedResponse,
    context: CheckContext,
  ) => void | Promise<void>;
}

const suite: ReplayJudge = {
  send: (request, _documented, context) => context.call(request),
  judge: (response, documented, { baseline, status, example }, context) => {
    if (!baseline.isOwn && status === baseline.success) expectSuccess({ ...baseline, gone: [] }, response);
    else expectStatus(response, status);
    const fault = exampleFault(documented, example, response.text, context);
    if (fault !== undefined) throw new Error(fault);
  },
};

/** A check for each documented response: its situation provokes the response, which must match the document. */
export function replayChecks(document: ApiDocument, { send, judge }: ReplayJudge = suite): Check[] {
  return replayCases(document).map((documented) => {
    const provoked = provoke(documented, document);
    const { operation, status } = documented;
    const described = {
      ...{ id: `replay.${documented.label}`, layer: 'replay' as const, source: 'document' as const, rules: [] },
      operation: operation.operationId,
      title: `${operation.operationId} returns ${status} as the document says`,
      ...(operation.method === 'delete' && { removes: operation.path }),
      ...(status === '401' && { failsToAuthenticate: 'once' as const }),
    };
    if (typeof provoked === 'string')
      return { ...described, needs: [], cannotRun: provoked, run: () => Promise.resolve() };
    const { situation, baseline } = provoked;
    return {
      ...described,
      needs: situation.needs,
      guessed: baseline.guessed,
      ...(situation.state?.usesUp && { usesUp: situation.state.usesUp }),
      run: async (context) => {
        const response = await askPlainly(situation, context, (request) => send(request, documented, context));
        if (provoked.insteadOf.includes(response.status))
          throw new UnmetPreconditionError(`the server responds ${response.status}, which is documented too`);
        await judge(response, documented, provoked, context);
      },
    };
  });
}

/** Only the project's own server must respond with the exact example; another one may use other words in its messages. */
export function exampleFault(
  { json }: ReplayCase,
  name: string | undefined,
  body: string,
  { respondsWithExamples }: Pick<Target, 'respondsWithExamples'>,
): string | undefined {
  if (name === undefined) return undefined;
  const example = json?.examples[name]?.value;
  if (example === undefined) return `the document has no example ${name} of this response`;
  if (respondsWithExamples !== true || isDeepStrictEqual(parsed(body), example)) return undefined;
  return `the body is not the documented example ${name}`;
}
