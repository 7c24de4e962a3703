import type { Logger } from 'pino';
import type { Config } from '../runtime/config.ts';
import { ContentStore } from '../files/content-store.ts';
import type { Registry } from './registries/registry.ts';
import type { Store } from '../store/store.ts';
import type { AnalysisTools } from './analyse-file.ts';
import { AnalysisWorker } from './analysis-worker.ts';
import { readingsAtATime } from './extraction/reading-bounds.ts';

/** A worker on an open store, which stays the caller's. What it works with is loaded when the first file waits. */
export function openAnalysisWorker(
  config: Pick<Config, 'files' | 'companyRegistry' | 'vatRegistry' | 'registryResultMaxAgeMilliseconds'>,
  { store, logger, now }: { store: Store; logger: Logger; now: () => Date },
): AnalysisWorker {
  const { files, companyRegistry, vatRegistry, registryResultMaxAgeMilliseconds: resultMaxAgeMilliseconds } = config;
  let reading: ReturnType<typeof openReading> | undefined;
  let registries: Promise<Registry[]> | undefined;
  const tools: AnalysisTools = {
    contents: new ContentStore(files.folder),
    readDocument: async (...parameters) => {
      const { places, readDocument } = await (reading ??= openReading());
      return places.execute(() => readDocument(...parameters), parameters[2]);
    },
    verification: async () => {
      const { openRegistries } = await import('./registries/open.ts');
      const { namesCompany } = await import('./details/names-company.ts');
      // One for all analyses: a registry has a limit, which they share.
      registries ??= openRegistries({ companyRegistry, vatRegistry }, store, logger);
      return { registries: await registries, namesCompany };
    },
    now,
    resultMaxAgeMilliseconds,
  };
  return new AnalysisWorker({ store, tools, logger }, readingsAtATime());
}

/** Whatever is read, for an analysis or because registries are asked again, only so many readings have memory at a time. */
async function openReading() {
  const { bulkhead } = await import('cockatiel');
  const { readDocument } = await import('./extraction/read-document.ts');
  return { places: bulkhead(readingsAtATime(), Infinity), readDocument };
}
