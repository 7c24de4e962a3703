import { createHttpClient } from '../run/http-client.ts';
import { type Credentials, type Layer, layers, type Report, type Target } from '../run/model.ts';
import { Pacing } from '../run/pacing.ts';
import { replayDocument } from '../replay/replay.ts';
import { runContract } from '../run/run.ts';
import type { Mutant, StartTarget } from './mutant.ts';
import { forwardTo, startProxy } from './proxy.ts';

const seed = 1;
const timeoutSeconds = 5;
const runTimeoutSeconds = 90;

/** What caught a mutant: the id of the first failing check of each layer that was run. */
export interface MutantResult {
  readonly name: string;
  /** Of Dredd as it comes. */
  readonly stock?: string;
  readonly replay?: string;
  readonly rules?: string;
  readonly generated?: string;
  /** The first promise of the document that a response has broken. */
  readonly conformance?: string;
  /** What went wrong beside the checks. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** The server without a mutation: what nothing may catch. */
export const noMutant: Mutant = { name: 'none', breaks: 'nothing', start: ({ forward }) => forward };

/**
 * Breaks a server that has just started in one way, and runs Dredd as it comes and the whole suite against it.
 * @param everyLayer whether the suite goes on after the first failure, to the first of each layer
 */
export async function runMutant(mutant: Mutant, startTarget: StartTarget, everyLayer = false): Promise<MutantResult> {
  const startedAt = performance.now();
  const stock = await withMutant(mutant, startTarget, runStock);
  const report = await withMutant(mutant, startTarget, (target) => runSuite(target, mutant === noMutant, everyLayer));
  const caughtBy = (layer: Layer) =>
    report.results.find(({ check, outcome }) => check.layer === layer && outcome === 'failed')?.check.id;
  const byLayer = { stock, ...Object.fromEntries(layers.map((layer) => [layer, caughtBy(layer)])) };
  return {
    name: mutant.name,
    ...Object.fromEntries(Object.entries(byLayer).filter(([, id]) => id !== undefined)),
    problems: report.problems,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/** @throws {Error} if the mutant itself fails, so that what the suite has seen is another one */
async function withMutant<Result>(
  mutant: Mutant,
  startTarget: StartTarget,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const own = await startTarget();
  const database = own.openDatabase();
  const { forward, close } = forwardTo(own.credentials.base_url);
  const credentials = own.credentials as Required<Credentials>;
  const { organisation_id: organisationId } = await own.operator.identify(credentials.owner_key);
  const proxy = await startProxy(mutant.start({ credentials, organisationId, database, forward }));
  try {
    const urls = { base_url: proxy.url, case_base_url: proxy.url };
    const result = await work({ ...own, credentials: { ...credentials, ...urls } });
    const [error] = proxy.errors;
    if (error) throw new Error(`the mutant ${mutant.name} itself fails: ${error.message}`, { cause: error });
    return result;
  } finally {
    await proxy.close();
    close();
    database.close();
    await own.close();
  }
}

async function runStock(target: Target): Promise<string | undefined> {
  const client = createHttpClient(timeoutSeconds);
  const pacing = new Pacing(() => undefined);
  const session = { target, client, pacing, seed, allowExtraFields: false, stopAtFirstFailure: true };
  try {
    const results = await replayDocument({ ...session, stock: true }).run(() => undefined);
    return results.find(({ outcome }) => outcome === 'failed')?.check.id;
  } finally {
    client.close();
  }
}

async function runSuite(target: Target, clean: boolean, everyLayer: boolean): Promise<Report> {
  const caught = new AbortController();
  const options = { seed, timeoutSeconds, runTimeoutSeconds, allowExtraFields: false, signal: caught.signal };
  const onFailure = () => {
    if (!clean && !everyLayer) caught.abort(new Error('the mutant is caught'));
  };
  return runContract(
    target,
    { ...options, dredd: true, requireAll: clean, stopAtFirstFailure: !clean },
    {
      onResult: ({ outcome }) => {
        if (outcome === 'failed') onFailure();
      },
      onViolation: onFailure,
      onNotice: () => undefined,
    },
  );
}
