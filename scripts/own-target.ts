import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import type { MutableTarget } from '../contract/mutants/mutant.ts';
import type { Credentials } from '../contract/run/model.ts';
import { readConfig } from '../src/runtime/config.ts';
import { startService } from '../src/runtime/service.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import { ownServerSettings } from './own-server-settings.ts';
import { addDemoData, storeOperator } from './store-operator.ts';

/**
 * Starts the project's own server in this process, on a free port, with demo data in a temporary folder.
 * @param settings of the server, in addition to those of every run
 */
export async function startOwnTarget(settings: Record<string, string> = {}): Promise<MutableTarget> {
  const folder = await makeFolder();
  return startIn(folder, settings, await makeDemoData(folder, settings));
}

/** Starts such servers one after another, with the same demo data, which is made once: its analysis takes seconds. */
export function ownTargets(): () => Promise<MutableTarget> {
  let template: Promise<{ made: string; credentials: Credentials }> | undefined;
  return async () => {
    template ??= makeFolder().then(async (made) => {
      process.once('exit', () => {
        rmSync(made, { recursive: true, force: true });
      });
      return { made, credentials: await makeDemoData(made, {}) };
    });
    const { made, credentials } = await template;
    const folder = await makeFolder();
    await cp(made, folder, { recursive: true });
    return startIn(folder, {}, credentials);
  };
}

const makeFolder = () => mkdtemp(join(tmpdir(), 'document-analysis-contract-'));

const now = () => new Date();

function configOf(folder: string, settings: Record<string, string>) {
  return readConfig({ ...ownServerSettings(folder), ...settings, PORT: '0' });
}

async function makeDemoData(folder: string, settings: Record<string, string>): Promise<Credentials> {
  const config = configOf(folder, settings);
  const store = openSqliteStore(config.databasePath);
  const credentials = await addDemoData(config, store);
  await store.close();
  return credentials;
}

async function startIn(
  folder: string,
  settings: Record<string, string>,
  credentials: Credentials,
): Promise<MutableTarget> {
  const config = configOf(folder, settings);
  const store = openSqliteStore(config.databasePath);
  const service = await startService(config, { store, logger: pino({ level: 'silent' }), now });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  return {
    openDatabase: () => new Sqlite(config.databasePath) as unknown as ReturnType<MutableTarget['openDatabase']>,
    credentials: { ...credentials, base_url: baseUrl, case_base_url: baseUrl },
    mayExhaustLimits: true,
    respondsWithExamples: true,
    operator: storeOperator(store, config.databasePath),
    close: async () => {
      await service.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
