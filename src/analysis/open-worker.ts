import type { Logger } from 'pino';
import type { Config } from '../runtime/config.ts';
import { ContentStore } from '../files/content-store.ts';
import type { Registry } from './registries/registry.ts';
import type { RegistryConfig } from './registries/settings.ts';
import type { Store } from '../store/store.ts';
import type { AnalysisParts, AnalysisTools } from './analyse-next.ts';
import { AnalysisWorker } from './analysis-worker.ts';
import { readingsAtATime } from './extraction/reading-bounds.ts';

export function openAnalysisWorker(...parameters: Parameters<typeof analysisParts>): AnalysisWorker {
  return new AnalysisWorker(analysisParts(...parameters), readingsAtATime());
}

/** What analyses need. The tools are loaded when the first file is taken. */
export function analysisParts(
  config: Pick<Config, 'files' | keyof RegistryConfig>,
  { store, logger, now }: { store: Store; logger: Logger; now: () => Date },
): AnalysisParts {
  let registries: Promise<Registry[]> | undefined;
  const tools: AnalysisTools = {
    contents: new ContentStore(config.files.folder),
    readDocument: async (...parameters) => (await import('./extraction/read-document.ts')).readInTurn(...parameters),
    verification: async () => {
      const { openRegistries } = await import('./registries/open.ts');
      const { namesCompany } = await import('./details/names-company.ts');
      // Shared by all analyses, because they share each registry's rate limit.
      registries ??= openRegistries(config, store, logger);
      return { registries: await registries, namesCompany };
    },
    now,
    resultMaxAgeMilliseconds: config.registryResultMaxAgeMilliseconds,
  };
  return { store, tools, logger };
}
