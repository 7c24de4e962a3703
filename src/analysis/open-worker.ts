import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { ContentStore } from '../files/content-store.js';
import type { Registry } from '../registries/registry.js';
import type { Store } from '../store/store.js';
import type { AnalysisTools } from './analyse-file.js';
import { AnalysisWorker } from './analysis-worker.js';

/** A worker on an open store, which stays the caller's. What it works with is loaded when the first file waits. */
export function openAnalysisWorker(
  { files, companyRegistry }: Pick<Config, 'files' | 'companyRegistry'>,
  { store, logger, now }: { store: Store; logger: Logger; now: () => Date },
): AnalysisWorker {
  let registries: Registry[] | undefined;
  const tools: AnalysisTools = {
    contents: new ContentStore(files.folder),
    readDocument: async (...parameters) => (await import('./extraction/read-document.js')).readDocument(...parameters),
    verification: async () => {
      const { openRegistries } = await import('../registries/open.js');
      const { namesCompany } = await import('./details/names-company.js');
      registries ??= await openRegistries(companyRegistry, store, logger);
      return { registries, namesCompany };
    },
    now,
  };
  return new AnalysisWorker({ store, tools, logger });
}
