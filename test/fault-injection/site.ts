import { randomBytes } from 'node:crypto';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { type ProgramProcess, serving, startNode } from '../support/process.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { type Engine, withStore } from './engines.ts';
import { contradictions, type Kept, type Update } from './ledger.ts';

const cachedResultsEachTime = 5;

/** The program that is started: the built one, unless TEST_PROGRAM names another. */
const programFile = process.env['TEST_PROGRAM'] ?? 'dist/main.js';

export interface Server extends ProgramProcess {
  readonly url: string;
}

export interface ServerOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Modules that the process loads before the program. */
  readonly preload?: readonly string[];
}

/** An organisation in a store, with its updates so far. */
export class Site {
  readonly organisationId: string;
  /** An API key that may read and update the setting. */
  readonly key: string;
  readonly #engine: Engine;
  #before: Kept;

  private constructor(engine: Engine, organisationId: string, key: string) {
    this.#engine = engine;
    this.organisationId = organisationId;
    this.key = key;
    this.#before = { entries: [], enabled: false, cachedResults: 0 };
  }

  static create(engine: Engine): Promise<Site> {
    return withStore(engine, async (store) => {
      const organisationId = await addOrganisation(store);
      return new Site(engine, organisationId, await addApiKey(store, organisationId, 'owner'));
    });
  }

  /** Saves some analysis results, which the next change of the setting must clear. */
  async seed(): Promise<void> {
    await withStore(this.#engine, async (store) => {
      for (let index = 0; index < cachedResultsEachTime; index += 1)
        await store.saveCachedAnalysisResult({
          organisation_id: this.organisationId,
          content_sha256: randomBytes(32),
          result: { summary: 'A result' },
          created_at: new Date().toISOString(),
        });
    });
    this.#before = await this.#kept();
  }

  /** The contradictions in the updates since the results were saved. No update may be in flight. */
  async settle(updates: readonly Update[]): Promise<string[]> {
    const damages = await this.#engine.damages();
    const [before, kept] = [this.#before, await this.#kept()];
    this.#before = kept;
    return [...damages, ...contradictions(before, updates, kept)];
  }

  async serve({ environment, preload = [] }: ServerOptions = {}): Promise<Server> {
    const imports = preload.flatMap((module) => ['--import', module]);
    const program = startNode([...imports, programFile, 'serve', '--port', '0'], {
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      RATE_LIMIT_REQUESTS: '1000000000',
      ...this.#engine.environment,
      ...environment,
    });
    return { ...program, url: await serving(program) };
  }

  #kept(): Promise<Kept> {
    const { organisationId } = this;
    return withStore(this.#engine, async (store) => ({
      entries: (await store.listAuditEntries({ organisationId, limit: 10_000_000 })).filter(isSettingUpdate).reverse(),
      enabled: await store.readVerificationSetting(organisationId),
      cachedResults: await store.countCachedAnalysisResults(organisationId),
    }));
  }
}
