import { randomBytes } from 'node:crypto';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { serving, startNode } from '../support/process.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { type Engine, withStore } from './engines.ts';
import { contradictions, type Kept, type Update } from './ledger.ts';

const cachedResultsEachTime = 5;

/** The program that is started: the built one, unless TEST_PROGRAM names another. */
const programFile = process.env['TEST_PROGRAM'] ?? 'dist/main.js';

export interface ServerOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Modules that the process loads before the program. */
  readonly preload?: readonly string[];
}

export type Site = Awaited<ReturnType<typeof createSite>>;

/** An organisation in a store, with an API key that may read and update the setting, and its updates so far. */
export async function createSite(engine: Engine) {
  const { organisationId, key } = await withStore(engine, async (store) => {
    const id = await addOrganisation(store);
    return { organisationId: id, key: await addApiKey(store, id, 'owner') };
  });
  const read = (): Promise<Kept> =>
    withStore(engine, async (store) => ({
      entries: (await store.listAuditEntries({ organisationId, limit: 10_000_000 })).filter(isSettingUpdate).reverse(),
      enabled: await store.readVerificationSetting(organisationId),
      cachedResults: await store.countCachedAnalysisResults(organisationId),
    }));
  let before = await read();
  return {
    organisationId,
    key,
    /** Saves some analysis results, which the next change of the setting must clear. */
    seed: async () => {
      await withStore(engine, async (store) => {
        for (let index = 0; index < cachedResultsEachTime; index += 1)
          await store.saveCachedAnalysisResult({
            organisation_id: organisationId,
            content_sha256: randomBytes(32),
            result: { summary: 'A result' },
            created_at: new Date().toISOString(),
          });
      });
      before = await read();
    },
    /** The contradictions in the updates since the results were saved. No update may be in flight. */
    settle: async (updates: readonly Update[]) => {
      const [damages, former] = [await engine.damages(), before];
      before = await read();
      return [...damages, ...contradictions(former, updates, before)];
    },
    serve: async ({ environment, preload = [] }: ServerOptions = {}) => {
      const imports = preload.flatMap((module) => ['--import', module]);
      const program = startNode([...imports, programFile, 'serve', '--port', '0'], {
        ...{ NODE_ENV: 'production', LOG_LEVEL: 'error', RATE_LIMIT_REQUESTS: '1000000000' },
        ...engine.environment,
        ...environment,
      });
      return { ...program, url: await serving(program) };
    },
  };
}
