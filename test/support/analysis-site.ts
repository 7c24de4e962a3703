import type { ServerResponse } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import type { Case } from '../../src/domain/case.ts';
import { afterwards } from './afterwards.ts';
import { runInProcess } from './cli.ts';
import { companiesHouseKey, responding, startCompaniesHouse } from './companies-house.ts';
import { settingPath } from './harness.ts';
import { type ProgramProcess, serving, startProgram } from './process.ts';
import { describeEngines, openSqlite, type StoreEngine } from './store-engines.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation } from './tenants.ts';
import { until } from './until.ts';

interface Added {
  readonly files: readonly { readonly file_id: string }[];
}

export type AnalysisSite = Awaited<ReturnType<typeof openAnalysisSite>>;

/** An organisation with a case, whose files are analysed by real processes, in the embedded store if no engine is given. */
export async function openAnalysisSite(given?: StoreEngine) {
  const engine = given ?? (await openSqlite());
  if (!given) afterwards(() => engine.close());
  const { store, folder, place } = engine;
  const organisationId = await addOrganisation(store);
  const caseId = await addCase(store, organisationId);
  const headers = {
    'x-api-key': await addApiKey(store, organisationId, 'owner'),
    authorization: `Bearer ${await addAccessToken(store, organisationId)}`,
  };
  const onEngine = {
    ...{ NODE_ENV: 'production', DATA_DIR: folder },
    ...(engine.engine === 'PostgreSQL' && { DATABASE_URL: place }),
  };
  const started: ProgramProcess[] = [];
  let url = '';

  const start = (args: string[], environment?: NodeJS.ProcessEnv): ProgramProcess => {
    const program = startProgram(args, { ...onEngine, ...environment });
    started.push(program);
    return program;
  };
  /** Runs a command in this process, beside the server: that saves the start of another. */
  const call = (args: string[], environment?: NodeJS.ProcessEnv) =>
    runInProcess(args, { environment: { ...onEngine, ...environment } });
  /** What a command has printed that ends well. */
  const run = async (args: string[], environment?: NodeJS.ProcessEnv): Promise<string> => {
    const { exitCode, stdout, stderr } = await call(args, environment);
    if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
  return {
    ...{ store, folder, organisationId, caseId, start, call, run },
    serve: async (args: string[] = [], environment?: NodeJS.ProcessEnv) => {
      const server = start(['serve', '--port', '0', ...args], environment);
      url = await serving(server);
      return server;
    },
    write: async (name: string, content: string | Buffer) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    addFiles: async (...paths: string[]) => {
      const added = JSON.parse(await run(['file', 'add', caseId, ...paths, '--json'])) as Added;
      return added.files.map(({ file_id: id }) => id);
    },
    setVerification: async (enabled: boolean) => {
      const response = await fetch(url + settingPath, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ enabled }),
      });
      expect([response.status, await response.json()]).toEqual([200, { enabled }]);
    },
    /** The status of a file, as a caller reads it. */
    statusOf: async (fileId: string) => {
      const response = await fetch(`${url}/cases/${caseId}`, { headers });
      expect(response.status).toBe(200);
      const { files } = (await response.json()) as Case;
      return files.find((file) => file.file_id === fileId)?.analysis_status;
    },
    verdictsOf: async (fileId: string) => {
      const { result } = await store.readAnalysis(fileId);
      const { evidence } = JSON.parse(result ?? '{}') as Partial<AnalysisResult>;
      return (evidence ?? []).map(({ verdict }) => verdict);
    },
    until: async (fileId: string, status: string) => {
      let seen = await store.readAnalysis(fileId);
      const logs = () => started.map(({ stderr }) => stderr()).join('');
      const describe = () =>
        `the file is ${status}, and it is ${seen.analysis_status} (${seen.failure?.code})\n${logs()}`;
      const look = async () => {
        seen = await store.readAnalysis(fileId);
        if (seen.analysis_status === 'analysis_failed' && status !== 'analysis_failed') throw new Error(describe());
        return seen.analysis_status === status;
      };
      await until(describe, look, 50);
    },
    /** Changes the time at which registries are asked again about files that nobody has in hand. */
    makeRechecksDue: (at: string) =>
      engine.beside(`UPDATE evidence_recheck SET due_at = '${at}' WHERE lease_token IS NULL`),
    close: async () => {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
    },
  };
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
      site = await openAnalysisSite(engine);
    });
    afterEach(() => site.close());
    test('with real processes', () => work(site));
  });
}
