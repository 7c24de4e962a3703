import type { ServerResponse } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import type { Case } from '../../src/domain/case.ts';
import type { Store } from '../../src/store/store.ts';
import { afterwards } from './afterwards.ts';
import { type CliOutcome, runInProcess } from './cli.ts';
import { companiesHouseKey, responding, startCompaniesHouse } from './companies-house.ts';
import { settingPath } from './harness.ts';
import { type ProgramProcess, serving, startProgram } from './process.ts';
import { describeEngines, openSqlite, type StoreEngine } from './store-engines.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from './tenants.ts';
import { until } from './until.ts';

interface Added {
  readonly files: readonly { readonly file_id: string }[];
}

/** An organisation with a case, whose files are analysed by real processes. */
export class AnalysisSite {
  readonly engine: StoreEngine;
  organisationId = '';
  caseId = '';
  #headers: Record<string, string> = {};
  readonly #started: ProgramProcess[] = [];
  #url = '';

  private constructor(engine: StoreEngine) {
    this.engine = engine;
  }

  /** @param engine the embedded store, if none is given */
  static async open(engine?: StoreEngine): Promise<AnalysisSite> {
    const site = new AnalysisSite(engine ?? (await openSqlite()));
    if (!engine) afterwards(() => site.engine.close());
    const { store } = site;
    site.organisationId = await addOrganisation(store);
    site.caseId = await addCase(store, site.organisationId);
    site.#headers = {
      'x-api-key': await addApiKey(store, site.organisationId, 'owner'),
      authorization: `Bearer ${await addAccessToken(store, site.organisationId)}`,
    };
    return site;
  }

  get store(): Store {
    return this.engine.store;
  }

  get #environment(): NodeJS.ProcessEnv {
    const { engine, folder, place } = this.engine;
    return { NODE_ENV: 'production', DATA_DIR: folder, ...(engine === 'PostgreSQL' && { DATABASE_URL: place }) };
  }

  start(args: string[], environment: NodeJS.ProcessEnv = {}): ProgramProcess {
    const program = startProgram(args, { ...this.#environment, ...environment });
    this.#started.push(program);
    return program;
  }

  async serve(args: string[] = [], environment?: NodeJS.ProcessEnv): Promise<ProgramProcess> {
    const server = this.start(['serve', '--port', '0', ...args], environment);
    this.#url = await serving(server);
    return server;
  }

  /** Runs a command in this process, beside the server: that saves the start of another. */
  call(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<CliOutcome> {
    return runInProcess(args, { environment: { ...this.#environment, ...environment } });
  }

  /** What a command has printed that ends well. */
  async run(args: string[], environment?: NodeJS.ProcessEnv): Promise<string> {
    const { exitCode, stdout, stderr } = await this.call(args, environment);
    if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    const path = join(this.engine.folder, name);
    await writeFile(path, content);
    return path;
  }

  async addFiles(...paths: string[]): Promise<string[]> {
    const added = JSON.parse(await this.run(['file', 'add', this.caseId, ...paths, '--json'])) as Added;
    return added.files.map(({ file_id: id }) => id);
  }

  async setVerification(enabled: boolean): Promise<void> {
    const response = await fetch(this.#url + settingPath, {
      method: 'PUT',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify({ enabled }),
    });
    expect([response.status, await response.json()]).toEqual([200, { enabled }]);
  }

  async readCase(): Promise<Case> {
    const response = await fetch(`${this.#url}/cases/${this.caseId}`, { headers: this.#headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Case;
  }

  async statusOf(fileId: string): Promise<string | undefined> {
    const { files } = await this.readCase();
    return files.find((file) => file.file_id === fileId)?.analysis_status;
  }

  async verdictsOf(fileId: string): Promise<string[]> {
    const { result } = await this.store.readAnalysis(fileId);
    const { evidence } = JSON.parse(result ?? '{}') as Partial<AnalysisResult>;
    return (evidence ?? []).map(({ verdict }) => verdict);
  }

  async until(fileId: string, status: string): Promise<void> {
    let seen = await this.store.readAnalysis(fileId);
    const logs = () => this.#started.map(({ stderr }) => stderr()).join('');
    const describe = () =>
      `the file is ${status}, and it is ${seen.analysis_status} (${seen.failure?.code})\n${logs()}`;
    const look = async () => {
      seen = await this.store.readAnalysis(fileId);
      if (seen.analysis_status === 'analysis_failed' && status !== 'analysis_failed') throw new Error(describe());
      return seen.analysis_status === status;
    };
    await until(describe, look, 50);
  }

  /** Changes the time at which registries are asked again about files that nobody has in hand. */
  makeRechecksDue(at = '2026-01-01T00:00:00.000Z'): Promise<void> {
    return this.engine.beside(`UPDATE evidence_recheck SET due_at = '${at}' WHERE lease_token IS NULL`);
  }

  async close(): Promise<void> {
    for (const { child } of this.#started) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
  }
}

export type HeldRegistry = Awaited<ReturnType<typeof startHeldRegistry>>;

/** The UK register's API, whose questions wait until it is told to respond. */
export async function startHeldRegistry() {
  const server = await startCompaniesHouse();
  const waiting = new Set<ServerResponse>();
  server.always = (response) => {
    waiting.add(response.once('close', () => waiting.delete(response)));
  };
  return {
    environment: {
      ...{ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_URL: server.url.href },
      COMPANY_REGISTRY_KEY: companiesHouseKey,
    },
    waiting: (questions = 1) =>
      until(
        () => `the registry has ${questions} questions at once, and has ${waiting.size}`,
        () => waiting.size >= questions,
      ),
    respondWith: (name: string) => {
      server.always = (response) => {
        const number = response.req.url?.split('/').at(-1);
        responding(200, { company_name: name, company_number: number, company_status: 'active' })(response);
      };
      for (const response of waiting) server.always(response);
    },
  };
}

/** Tests on each engine what happens on a site, which is closed afterwards. */
export function testOnSites(name: string, work: (site: AnalysisSite) => Promise<void>): void {
  describeEngines(name, (engine) => {
    let site: AnalysisSite;
    beforeEach(async () => {
      site = await AnalysisSite.open(engine);
    });
    afterEach(() => site.close());
    test('with real processes', () => work(site));
  });
}
