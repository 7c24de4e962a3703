import { type Check, type CheckResult, type Credentials, sources, type Target } from '../run/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { allChecks, runContract } from '../run/run.ts';
import { patternOf } from '../run/selection.ts';
import { isHarmless } from './harmless.ts';
import { plainServers } from './list/index.ts';
import type { Mutant, ProxiedRequest, StartTarget } from './mutant.ts';
import { forwardTo, startProxy } from './proxy.ts';

const seed = 1;
const timeoutSeconds = 5;
/** Many times the duration of a run on an idle machine. */
const runTimeoutSeconds = 220;

/** What caught a mutant. */
export interface MutantResult {
  readonly name: string;
  readonly first?: string;
  readonly problems: readonly string[];
  /** How often the fault of a conditional mutant was met. */
  readonly shown?: number;
  readonly seconds: number;
}

/** So many spares of each kind are sent by mutants alone. */
const sparesOfMutants = 5;

type Server = Pick<Mutant, 'name' | 'start' | 'shown'>;

/** The server without a mutation, which nothing may catch. */
export const noMutant: Server = { name: 'none', start: ({ forward }) => forward };

/**
 * Breaks a server that has just started, and runs the suite against it: first the checks of the broken promise, then
 * the others.
 * @param only the checks to run, as patterns of their ids; by default all
 */
export async function runMutant(
  mutant: Server,
  startTarget: StartTarget,
  only?: readonly string[],
): Promise<MutantResult> {
  const startedAt = performance.now();
  const found = await withMutant(mutant, startTarget, (target) => runSuite(target, mutant.name, only));
  const shown = mutant.shown && { shown: mutant.shown() };
  return { name: mutant.name, ...found, ...shown, seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * Starts a server behind a mutant while the work runs.
 * @throws {Error} if the mutant itself failed, because the work has then tested another server
 */
async function withMutant<Result>(
  mutant: Server,
  startTarget: StartTarget,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const own = await startTarget();
  const database = own.openDatabase();
  const { forward, close } = forwardTo(own.credentials.base_url);
  const credentials = own.credentials as Required<Credentials>;
  const { organisation_id: organisationId } = await own.operator.identify(credentials.owner_key);
  const { toMutant, toServer } = withOneSecretEach(credentials);
  const server = {
    credentials,
    organisationId,
    database,
    forward: (request: ProxiedRequest) => forward(toServer(request)),
  };
  const broken = mutant.start(server);
  const proxy = await startProxy((request) => broken(toMutant(request)));
  try {
    // Another server uses other words in its messages.
    const respondsWithExamples = own.respondsWithExamples === true && !isHarmless(mutant.name);
    const ofSuite = Object.entries(credentials.spares).map(([name, all]) => [name, all.slice(sparesOfMutants)]);
    const spares = Object.fromEntries(ofSuite) as Credentials['spares'] & object;
    const presented = { ...credentials, spares, base_url: proxy.url, case_base_url: proxy.url };
    const result = await work({ ...own, respondsWithExamples, credentials: presented });
    const [error] = proxy.errors;
    if (error) throw new Error(`the mutant ${mutant.name} itself failed: ${error.message}`, { cause: error });
    return result;
  } finally {
    await proxy.close();
    close();
    database.close();
    await own.close();
  }
}

/**
 * Lets a mutant know one secret of each kind: spares are replaced on the way to the mutant, and on the way to the server a spare
 * takes the place of another kind, so that no mutant spends the limit of a credential that the suite uses.
 */
function withOneSecretEach(credentials: Credentials) {
  const { spares = {}, ...given } = credentials;
  const own = new Map(Object.entries(given).filter(([name]) => /_(key|token)$/.test(name))) as Map<string, string>;
  const all = [...own, ...Object.entries(spares).flatMap(([field, values]) => values.map((value) => [field, value]))];
  const fieldOf = new Map(all.map(([field = '', secret = '']) => [secret, field]));
  const mainOf = (secret: string) => own.get(fieldOf.get(secret) ?? '') ?? secret;
  const turns = new Map<string, number>();
  const spareOf = (secret: string): string => {
    const field = fieldOf.get(secret) ?? '';
    const turn = (turns.get(field) ?? 0) + 1;
    turns.set(field, turn);
    const values = (spares[field] ?? []).slice(0, sparesOfMutants);
    return values[turn % values.length] ?? secret;
  };
  const replaced = (request: ProxiedRequest, replace: (secret: string) => string): ProxiedRequest => {
    const inText = (text: string) => text.replace(/[\w-]{20,}/g, (word) => (fieldOf.has(word) ? replace(word) : word));
    const headers = request.headers.map(([name, value]) => [name, inText(value)] as const);
    return { ...request, path: inText(request.path), headers };
  };
  return {
    toMutant: (request: ProxiedRequest): ProxiedRequest => {
      const sent = new Map<string, string>();
      const known = replaced(request, (secret) => {
        sent.set(mainOf(secret), secret);
        return mainOf(secret);
      });
      return { ...known, sent };
    },
    toServer: (request: ProxiedRequest) => replaced(request, (secret) => request.sent?.get(secret) ?? spareOf(secret)),
  };
}

/** Runs the suite until it has caught the mutant. */
async function runSuite(
  target: Target,
  name: string,
  only: readonly string[] | undefined,
): Promise<Pick<MutantResult, 'first' | 'problems'>> {
  const caught = new AbortController();
  const mustPass = name === noMutant.name || isHarmless(name);
  const options = { seed, timeoutSeconds, runTimeoutSeconds, allowExtraFields: false, signal: caught.signal };
  let first: string | undefined;
  const fail = (id: string) => {
    first ??= id;
    if (!mustPass) caught.abort(new Error('the mutant is caught'));
  };
  const promise = promisesOf(name);
  const about = promise.filter((pattern) => !pattern.startsWith('conformance.'));
  // Conformance is checked on responses, which other checks must first provoke; the replay provokes each kind soon.
  const provoking = about.length < promise.length ? ['replay.*', 'explored.*'] : [];
  const isAbout = matcherOf(about.length > 0 ? about : provoking);
  // Of conditional mutants there are too many for the checks of other promises.
  const chosen = only ?? (name.includes(' ') && !mustPass ? [...about, ...provoking] : undefined);
  const onResult = ({ outcome, check }: CheckResult) => {
    if (outcome === 'failed') fail(check.id);
  };
  const run = {
    ...options,
    document: ownDocument,
    checks: allChecks(ownDocument, seed),
    promises: sources,
    ...(chosen && { selection: { only: chosen, skip: [] } }),
    requireAll: mustPass,
    stopAtFirstFailure: !mustPass,
    first: ({ id }: Pick<Check, 'id'>) => isAbout(id),
  };
  const { problems } = await runContract(target, run, { onResult, onViolation: fail, onNotice: () => undefined });
  return { ...(first !== undefined && { first }), problems };
}

/** Whether the first check that failed is one of the checks of the broken promise. */
export function isAsExpected({ name, first }: Pick<MutantResult, 'name' | 'first'>): boolean {
  return first !== undefined && matcherOf(promisesOf(name))(first);
}

/** The patterns of the checks of the promise that a mutant breaks, whatever its condition. */
export function promisesOf(name: string): string[] {
  const [plain = ''] = name.split(' ');
  return plainServers.get(plain)?.promise.match(/\S+/g) ?? [];
}

function matcherOf(patterns: readonly string[]): (id: string) => boolean {
  const known = patterns.map(patternOf);
  return (id) => known.some((pattern) => pattern.test(id));
}
