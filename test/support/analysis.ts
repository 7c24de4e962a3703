import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { analyse, type AnalysisParts, type AnalysisTools, takeNext } from '../../src/analysis/analyse-next.ts';
import { ContentStore } from '../../src/files/content-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { afterwards } from './afterwards.ts';
import { addStoredFiles } from './region-files.ts';
import { TemporaryFolder } from './temporary-folder.ts';
import { addCase, addCredential, addOrganisation } from './tenants.ts';

export type AnalysisHarness = Awaited<ReturnType<typeof startAnalysisHarness>>;
export type ReplacedTools = Partial<AnalysisTools>;

/**
 * Makes a real store with an organisation, its case and real content, and what a worker needs.
 * @param tools in place of those that find one detail in each file, and of a registry that holds nothing
 */
export async function startAnalysisHarness(tools: ReplacedTools = {}) {
  const folder = await TemporaryFolder.make();
  const store = openSqliteStore(join(folder.path, 'store.sqlite'));
  const organisationId = await addOrganisation(store);
  const caseId = await addCase(store, organisationId);
  const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
  const filesFolder = join(folder.path, 'files');
  const contents = new ContentStore(filesFolder);
  const log: string[] = [];
  const logger = pino({ base: null, level: 'debug' }, { write: (line: string) => log.push(line) });
  const parts: AnalysisParts = { store, logger, tools: { ...defaultTools, contents, ...tools } };
  let added = 0;
  return {
    store,
    organisationId,
    contents,
    log,
    parts,
    addFile: async (text: string) => {
      const at = new Date(Date.UTC(2026, 2, 2, 9, 0, (added += 1))).toISOString();
      const [file] = await addStoredFiles(store, filesFolder, caseId, [text], { at });
      return file?.file_id ?? '';
    },
    setVerification: async (enabled: boolean) => {
      const occurredAt = '2026-03-02T09:00:00.000Z';
      const by = { credentialId, requestId: randomUUID(), occurredAt };
      await store.updateVerificationSetting({ organisationId, enabled, ...by });
    },
    /** Takes the next file, if there is one, and analyses it. */
    analyseNext: async (signal = new AbortController().signal, replaced = parts) => {
      const taken = await takeNext(replaced);
      return taken && analyse(taken, replaced, signal);
    },
    read: (fileId: string) => store.readAnalysis(fileId),
    /** Where the content of a file is stored. */
    pathOf: async (fileId: string) =>
      contents.pathOf((await store.readAnalysis(fileId)).content_sha256 ?? new Uint8Array()),
    close: afterwards(() => store.close()),
  };
}

const defaultTools: Omit<AnalysisTools, 'contents'> = {
  readDocument: () =>
    Promise.resolve({
      outcome: 'text',
      pages: null,
      characters: 23,
      details: [{ kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: null }],
      comparableText: '',
    }),
  verification: () =>
    Promise.resolve({
      registries: [{ name: 'an empty register', kinds: ['uk-company-number'], find: () => Promise.resolve(undefined) }],
      namesCompany: () => true,
    }),
  now: () => new Date(),
  resultMaxAgeMilliseconds: 86_400_000,
};
