import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  analyse,
  type AnalysisParts,
  type AnalysisReport,
  type AnalysisTools,
  takeNext,
} from '../../src/analysis/analyse-next.ts';
import { ContentStore } from '../../src/files/content-store.ts';
import type { FileAnalysis } from '../../src/store/parts/analyses.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { afterwards } from './afterwards.ts';
import { addStoredFiles } from './region-files.ts';
import { TemporaryFolder } from './temporary-folder.ts';
import { addCase, addCredential, addOrganisation } from './tenants.ts';

/** A real store with an organisation, its case and real content, and what a worker needs; a test replaces the rest. */
export interface AnalysisHarness {
  readonly store: Store;
  readonly organisationId: string;
  readonly contents: ContentStore;
  readonly parts: AnalysisParts;
  readonly log: string[];
  addFile(text: string): Promise<string>;
  setVerification(enabled: boolean): Promise<void>;
  /** Takes the next file, if there is one, and analyses it. */
  analyseNext(signal?: AbortSignal, parts?: AnalysisParts): Promise<AnalysisReport | undefined>;
  read(fileId: string): Promise<FileAnalysis>;
  /** Where the content of a file is stored. */
  pathOf(fileId: string): Promise<string>;
  close(): Promise<void>;
}

export type ReplacedTools = Partial<AnalysisTools>;

/** @param tools in place of those that find one detail in each file, and of a registry that holds nothing */
export async function startAnalysisHarness(tools: ReplacedTools = {}): Promise<AnalysisHarness> {
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
    addFile: async (text) => {
      const at = new Date(Date.UTC(2026, 2, 2, 9, 0, (added += 1))).toISOString();
      const [file] = await addStoredFiles(store, filesFolder, caseId, [text], { at });
      return file?.file_id ?? '';
    },
    setVerification: async (enabled) => {
      const occurredAt = '2026-03-02T09:00:00.000Z';
      const by = { credentialId, requestId: randomUUID(), occurredAt };
      await store.updateVerificationSetting({ organisationId, enabled, ...by });
    },
    analyseNext: async (signal = new AbortController().signal, replaced = parts) => {
      const taken = await takeNext(replaced);
      return taken && analyse(taken, replaced, signal);
    },
    read: (fileId) => store.readAnalysis(fileId),
    pathOf: async (fileId) => contents.pathOf((await store.readAnalysis(fileId)).content_sha256 ?? new Uint8Array()),
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
