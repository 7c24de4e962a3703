/** Random walks of several callers, in order and at once, compared with the state that the oracle keeps. What fails is shrunk. */
import fc from 'fast-check';
import type { Choice } from '../dimensions/choice.ts';
import { matchOperation } from '../document/index.ts';
import { NotOfferedError } from '../operator/open-operator.ts';
import { Effects } from '../own-api/effects.ts';
import { baselineOf } from './baseline.ts';
import { isSafe } from '../oracle/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { expectedOf, limitOf } from '../oracle/expected.ts';
import { faultOf } from '../oracle/judge.ts';
import { parsed } from '../oracle/json.ts';
import { type World, worldOf } from '../oracle/world.ts';
import { rulesShown } from '../own-api/rules.ts';
import type { Check, CheckContext, CredentialName, HttpResponse, RequestSpec, Source } from '../run/model.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import { given, inWays } from './asking.ts';
import { fewest } from './explore.ts';
import { isOfInterface, promisedChoices, randomOf, waysOf } from './rows.ts';
import { situationsOf } from './situations.ts';

interface Asked {
  readonly request: () => RequestSpec;
  readonly way: readonly Choice[];
}

type Requests = (() => RequestSpec)[];

/** Some requests that are sent at the same time. */
type Step = readonly Asked[];

const walks = 6;
const longestWalk = 60;
const mostAtOnce = 8;
const mostMilliseconds = 20_000;

/** @param thorough walks further */
export function walkChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  // Another API's data may be changed by others, and cannot be put back.
  const world = worldOf(document, { base_url: '', case_base_url: '' });
  if (!world.isOwn) return [];
  const check = (source: Source, id: string, rules: readonly string[]): Check => ({
    id,
    layer: 'explored',
    source,
    title: 'requests of several callers, in any order and at the same time, get what the state allows',
    rules,
    needs: ['owner_key'],
    usesSpares: true,
    run: (context) => walk(document, context, { source, seed, thorough }),
  });
  const ofSetting = ['3.1-S1', '3.1-S2', '3.1-S3', '3.1-S4', '3.1-S7'];
  return [
    check('interface', 'explored.walks', [...ofSetting, '4.1-O1', '4.2-O1', '4.3-O1']),
    check('decision', 'explored.walks.decided', ['D20', 'D21']),
  ];
}

async function walk(
  document: ApiDocument,
  context: CheckContext,
  { seed, thorough, source }: { source: Source; seed: number; thorough: boolean },
): Promise<void> {
  // As many writes and reads as others, most of which are refused.
  const steps = stepsOf(document, context, source, seed);
  const { writes, reads, ...others } = steps;
  const kinds = [writes, reads, Object.values(others).flat()].filter(({ length }) => length > 0);
  const promised = promisedChoices((choice) => source === 'decision' || isOfInterface(choice));
  const ways = waysOf(promised, randomOf(seed), Infinity, 1);
  const one = fc.record({
    request: fc.oneof(...kinds.map((requests) => fc.constantFrom(...requests))),
    way: fc.constantFrom(...ways.map(() => []), ...ways),
  });
  // An update of another value directly after each kind of request.
  const kindsOfOthers = [...reads, ...Object.values(others).flatMap(([first]) => first ?? [])];
  const tour = kindsOfOthers.map((other, at): Step[] =>
    [other, writes.at(at % 2 === 0 ? 0 : -1)].flatMap((request) => (request ? [[{ request, way: [] }]] : [])),
  );
  const several = fc.array(one, { minLength: 1, maxLength: mostAtOnce });
  const walked = fc.array(fc.oneof({ weight: 3, arbitrary: fc.tuple(one) }, { weight: 1, arbitrary: several }), {
    minLength: 1,
    maxLength: longestWalk,
    size: 'max',
  });
  const effects = context.operator && Effects.seenBy(context.operator);
  let deadline = performance.now() + mostMilliseconds;
  let last: Error | undefined;
  const walkOnce = async (taken: readonly Step[]) => {
    const world = worldOf(document, context.allCredentials ?? context.credentials);
    try {
      const seen = await effects?.start(false).then(
        () => effects,
        (error: unknown): undefined => {
          if (!(error instanceof NotOfferedError)) throw error;
        },
      );
      for (const each of taken) {
        // A walk that is cut short passes; one that went on would disturb the checks after it.
        if (performance.now() > deadline) return;
        await take(each, context, world, seen);
      }
      const fault = await seen?.fault(source === 'decision');
      if (fault !== undefined) throw new Error(`seen after a walk: ${fault}`);
    } catch (error) {
      last = error as Error;
      throw error;
    }
  };
  const isSeenIn = (taken: readonly Step[]) =>
    walkOnce(taken).then(
      () => false,
      () => true,
    );
  const settings = { seed, numRuns: thorough ? 8 * walks : walks };
  const taken = (await isSeenIn(tour.flat()))
    ? (await fewest(tour, (fewer) => isSeenIn(fewer.flat()))).flat()
    : ((await fc.check(fc.asyncProperty(walked, walkOnce), settings)).counterexample?.[0] ?? []);
  // A limit that holds a request up says nothing of the promise.
  if (last instanceof UnmetPreconditionError) throw last;
  if (!last) {
    // It stays on while only readers follow, which look at it.
    if (writes[0]) await context.call(writes[0]());
    return;
  }
  const found = last;
  deadline = performance.now() + mostMilliseconds;
  const choices = [...new Set(taken.flat().flatMap(({ way }) => way))];
  const isSeenWith = (fewer: readonly Choice[]) =>
    isSeenIn(
      taken.map((step) =>
        step.map(({ request, way }) => ({ request, way: way.filter((choice) => fewer.includes(choice)) })),
      ),
    );
  const kept = (await isSeenWith([])) ? [] : await fewest(choices, isSeenWith);
  // What is not seen again says nothing of the ways.
  const only = !(await isSeenWith(kept)) ? '' : kept.map(({ name }) => name).join(' and ');
  throw new Error(`${found.message} (in a walk of ${taken.length} steps${only === '' ? '' : `, only with ${only}`})`, {
    cause: found.cause,
  });
}

/** The requests that a walk consists of: typical situations of the credentials that the target has. */
function stepsOf(document: ApiDocument, context: CheckContext, source: Source, seed: number) {
  const credential = (name: CredentialName) => given(context, name);
  const world = worldOf(document, context.allCredentials ?? context.credentials);
  const steps: Record<'writes' | 'reads', Requests> & Record<string, Requests> = { writes: [], reads: [] };
  for (const situation of situationsOf(document, seed)) {
    const { isTypical, needs, name, request, state, documented, source: promisedBy } = situation;
    // Failed authentications are few, and a walk does not leave the usual state.
    if (state || documented || !isTypical || / by a credential that is (?!absent)/.test(name)) continue;
    if (needs.some((need) => need.includes(' ') || typeof context.credentials[need as CredentialName] !== 'string'))
      continue;
    const { operation, promise, saves, after, statuses } = expectedOf(request({ credential }), world);
    const isOfInterface =
      promisedBy === 'interface' && rulesShown(operation?.operationId ?? '', promise, 'document').length > 0;
    if (source === 'interface' && !isOfInterface) continue;
    const kind = `${operation?.operationId} ${statuses.join()}`;
    (steps[saves !== undefined ? 'writes' : after ? 'reads' : kind] ??= []).push(() => request({ credential }));
  }
  return steps;
}

/** Sends the requests at the same time, and compares each response with the state that there may have been. */
async function take(step: Step, context: CheckContext, world: World, effects: Effects | undefined): Promise<void> {
  const sent = step.map(({ request, way }) => {
    const plain = request();
    return inWays(plain, way, matchOperation(world.document, plain.method, plain.path)).request;
  });
  const before = world.setting;
  const written = sent.flatMap((request) => expectedOf(request, world).saves ?? []);
  const [saved, ...others] = written;
  // Of requests that are in flight together, nobody knows which comes first.
  if (sent.length > 1 && written.some((value) => value !== before)) world.setting = undefined;
  const responses = await exchanged(sent, context, world);
  for (const [index, request] of sent.entries()) {
    const { saves } = expectedOf(request, world);
    const [response, secret] = [responses[index] as HttpResponse, limitOf(request, world)];
    if (saves !== undefined) effects?.note({ before, after: saves, response, secret });
  }
  const reading = world.document.operations.find(({ operationId }) => operationId === 'getVerificationSetting');
  if (saved === undefined || !reading) return;
  world.setting = others.every((value) => value === saved) ? saved : undefined;
  const request = baselineOf(reading, world.document).request({ credential: (name) => given(context, name) });
  await exchanged([request], context, world);
}

async function exchanged(sent: readonly RequestSpec[], context: CheckContext, world: World): Promise<HttpResponse[]> {
  const responses = await Promise.all(sent.map((request) => context.call(request)));
  const exchanges = sent.map((request, index) => {
    return { request, expected: expectedOf(request, world), response: responses[index] as HttpResponse };
  });
  for (const { request, expected, response } of exchanges) {
    const fault = faultOf(expected, request, response, false);
    if (fault !== undefined) throw new Error(`${request.method} ${request.path}: ${fault}`, { cause: response });
  }
  for (const { request, expected, response } of exchanges)
    if (response.status < 300 && isSafe(request.method)) expected.after?.(parsed(response.text));
  return responses;
}
