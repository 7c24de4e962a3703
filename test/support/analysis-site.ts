import { createServer, type ServerResponse } from 'node:http';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import type { Case } from '../../src/domain/case.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from './describe-postgres.ts';
import { settingPath } from './harness.ts';
import { listenOnFreePort } from './listen-on-free-port.ts';
import { type ProgramProcess, serving, startProgram } from './process.ts';
import { removeFolder } from './temporary-folder.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from './tenants.ts';
import { until } from './until.ts';

const databaseFile = 'document-analysis-uk.sqlite';

/** An organisation with a case, whose files are added and analysed by real processes. */
export class AnalysisSite {
  readonly store: Store;
  organisationId = '';
  caseId = '';
  #headers: Record<string, string> = {};
  readonly #folder: string;
  readonly #databaseUrl: string | undefined;
  readonly #started: ProgramProcess[] = [];
  readonly #registries: HeldRegistry[] = [];
  #url = '';

  /** @param databaseUrl of PostgreSQL; without it, the embedded store is used */
  static async open(databaseUrl?: string): Promise<AnalysisSite> {
    const folder = await mkdtemp(join(tmpdir(), 'document-analysis-'));
    const store =
      databaseUrl === undefined
        ? openSqliteStore(join(folder, databaseFile))
        : await openPostgresStore({ url: databaseUrl, poolSize: 2 }, 'uk');
    const site = new AnalysisSite(store, folder, databaseUrl);
    site.organisationId = await addOrganisation(store);
    site.caseId = await addCase(store, site.organisationId);
    site.#headers = {
      'x-api-key': await addApiKey(store, site.organisationId, 'owner'),
      authorization: `Bearer ${await addAccessToken(store, site.organisationId)}`,
    };
    return site;
  }

  /** Opens a site and closes it after the work, however that ends. */
  static async in(work: (site: AnalysisSite) => Promise<void>, databaseUrl?: string): Promise<void> {
    const site = await AnalysisSite.open(databaseUrl);
    try {
      await work(site);
    } finally {
      await site.close();
    }
  }

  private constructor(store: Store, folder: string, databaseUrl: string | undefined) {
    this.store = store;
    this.#folder = folder;
    this.#databaseUrl = databaseUrl;
  }

  start(args: string[], environment: NodeJS.ProcessEnv = {}): ProgramProcess {
    const store = this.#databaseUrl === undefined ? {} : { DATABASE_URL: this.#databaseUrl };
    const own = { NODE_ENV: 'production', DATA_DIR: this.#folder, ...store };
    const program = startProgram(args, { ...own, ...environment });
    this.#started.push(program);
    return program;
  }

  async serve(args: string[] = [], environment?: NodeJS.ProcessEnv): Promise<ProgramProcess> {
    const server = this.start(['serve', '--port', '0', ...args], environment);
    this.#url = await serving(server);
    return server;
  }

  async run(args: string[], environment?: NodeJS.ProcessEnv): Promise<string> {
    const program = this.start(args, environment);
    const exitCode = await program.ended;
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${program.stderr()}`);
    return program.stdout();
  }

  async json<T>(args: string[], environment?: NodeJS.ProcessEnv): Promise<T> {
    return JSON.parse(await this.run([...args, '--json'], environment)) as T;
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, content);
    return path;
  }

  async addFiles(...paths: string[]): Promise<string[]> {
    const { files } = await this.json<{ files: { file_id: string }[] }>(['file', 'add', this.caseId, ...paths]);
    return files.map(({ file_id: id }) => id);
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
  async makeRechecksDue(at = '2026-01-01T00:00:00.000Z'): Promise<void> {
    const sql = `UPDATE evidence_recheck SET due_at = '${at}' WHERE lease_token IS NULL`;
    if (this.#databaseUrl === undefined) {
      const database = new Sqlite(join(this.#folder, databaseFile));
      database.exec(sql);
      database.close();
      return;
    }
    const client = new pg.Client(this.#databaseUrl);
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  async startRegistry(): Promise<HeldRegistry> {
    const registry = await startHeldRegistry();
    this.#registries.push(registry);
    return registry;
  }

  async close(): Promise<void> {
    await Promise.all(this.#registries.map((registry) => registry.close()));
    for (const { child } of this.#started) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
    await this.store.close();
    await removeFolder(this.#folder);
  }
}

export type HeldRegistry = Awaited<ReturnType<typeof startHeldRegistry>>;

/** The UK register's API, whose questions wait until it is told to respond. */
async function startHeldRegistry() {
  const waiting = new Map<ServerResponse, string>();
  let name: string | undefined;
  const respond = (response: ServerResponse, number: string) => {
    const company = { company_name: name, company_number: number, company_status: 'active' };
    if (name !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(company));
  };
  const server = createServer(({ url }, response) => {
    const number = url?.split('/').at(-1) ?? '';
    waiting.set(response, number);
    response.once('close', () => waiting.delete(response));
    respond(response, number);
  });
  const { url, close } = await listenOnFreePort(server);
  return {
    close,
    environment: { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_URL: url, COMPANY_REGISTRY_KEY: 'a-key' },
    waiting: (questions = 1) =>
      until(
        () => `the registry has ${questions} questions at once, and has ${waiting.size}`,
        () => waiting.size >= questions,
      ),
    respondWith: (company: string) => {
      name = company;
      for (const [response, number] of waiting) respond(response, number);
    },
  };
}

/** Tests on each engine what happens on a site, which is closed afterwards. */
export function testOnSites(name: string, work: (site: AnalysisSite) => Promise<void>): void {
  test(`${name}, on SQLite`, () => AnalysisSite.in(work));
  describeDatabase('on PostgreSQL', (database) => {
    test(name, async () => AnalysisSite.in(work, await database.freshUrl()));
  });
}
