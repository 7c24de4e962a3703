import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AnalysisFailure, AnalysisResult } from '../../../src/domain/analysis.ts';
import { bulkFile, bulkFileLine } from '../../support/bulk-file.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { companiesHouseKey, startCompaniesHouse } from '../../support/companies-house.ts';
import { addStoredFiles } from '../../support/region-files.ts';
import { addCase, addCredential, buildCase, setFeature } from '../../support/tenants.ts';

const cli = CliHarness.forEachTest();
let organisationId: string;
let caseId: string;
beforeEach(async () => {
  organisationId = await cli.addOrganisation();
  caseId = await cli.withStore((store) => addCase(store, organisationId));
});

async function addFile(content: string): Promise<string> {
  const folder = join(cli.folder, 'data', 'document-analysis-uk-files');
  const facts = { label: 'letter.txt', at: '2026-03-02T12:00:00.000Z' };
  const [added] = await cli.withStore((store) => addStoredFiles(store, folder, caseId, [content], facts));
  return added?.file_id ?? '';
}

async function end(ending: { result: AnalysisResult } | { failure: AnalysisFailure }): Promise<void> {
  await cli.withStore(async (store) => {
    const at = '2026-03-02T12:00:01.000Z';
    const taken = await store.takeAnalysis({ at, leaseMilliseconds: 60_000 });
    if (taken?.analysis_status !== 'analysing') throw new Error('no file was taken');
    if ('failure' in ending) await store.failAnalysis(taken.lease, { ...ending, at });
    else await store.completeAnalysis(taken.lease, { ...ending, cacheable: true, at });
  });
}

const asked_at = '2026-03-02T12:00:01.000Z';
const result: AnalysisResult = {
  text: { outcome: 'text', pages: 2, characters: 40 },
  details: [
    { kind: 'uk-company-number', value: '01234567', found_as: 'No. 01234567\u202e', page: 1 },
    { kind: 'uk-vat-number', value: 'GB123456782', found_as: '123 4567 82', page: 2 },
  ],
  evidence: [
    {
      ...{ kind: 'uk-company-number', value: '01234567', registry: 'the register', edition: null, asked_at },
      record: { value: '01234567', name: 'ACME LIMITED', status: 'Active' },
      ...{ verdict: 'match', reason: null },
    },
    {
      ...{ kind: 'uk-vat-number', value: 'GB123456782', registry: null, edition: null, asked_at },
      ...{ record: null, verdict: 'registry_unavailable' },
      reason: 'no registry is configured for this kind of detail',
    },
  ],
};

async function shownFindings(fileId: string): Promise<string> {
  const text = await cli.text(`analysis show ${fileId.toUpperCase()}`);
  return text.slice(text.indexOf('\n\n') + 2);
}

test('analysis show shows what was found, and the evidence on it, without what could steer a terminal; machines are told all of it', async () => {
  const fileId = await addFile('text');
  await end({ result });
  expect(await shownFindings(fileId)).toBe(`2 details:
KIND               VALUE        FOUND AS            PAGE
uk-company-number  01234567     No. 01234567\\u202e  1
uk-vat-number      GB123456782  123 4567 82         2

Evidence:
VALUE        VERDICT               REGISTRY      RESPONSE                                           ASKED
01234567     match                 the register  ACME LIMITED (Active)                              2026-03-02T12:00:01.000Z
GB123456782  registry_unavailable  -             no registry is configured for this kind of detail  2026-03-02T12:00:01.000Z
`);
  expect(await cli.json(`analysis show ${fileId}`)).toEqual({
    file_id: fileId,
    case_id: caseId,
    organisation_id: organisationId,
    label: 'letter.txt',
    mime_type: 'text/plain',
    uploaded_at: '2026-03-02T12:00:00.000Z',
    analysis_status: 'analysis_complete',
    analysis_completed_at: '2026-03-02T12:00:01.000Z',
    content_sha256: '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1',
    attempts: 1,
    started_at: '2026-03-02T12:00:01.000Z',
    verification_enabled: false,
    from_cache: false,
    failure: null,
    later_evidence: null,
    recheck_due_at: null,
    result,
  });
});

test('analysis show with --wait, waits until the analysis has ended, and fails if that takes longer', async () => {
  const fileId = await addFile('text');
  expect(await cli.fails(1, `analysis show ${fileId} --wait 0s`)).toBe(
    'error: The file is still waiting_for_analysis. Is a server running? Without one, run: document-analysis analyse\n',
  );
  const waiting = cli.json<object>(`analysis show ${fileId} --wait 60s`);
  await end({ result });
  expect(await waiting).toMatchObject({ analysis_status: 'analysis_complete', result });
});

test('analysis show says that a result is from the cache', async () => {
  await addFile('same');
  await end({ result });
  const fileId = await addFile('same');
  await cli.run('analyse');
  const text = await cli.text(`analysis show ${fileId}`);
  expect(text).toMatch(/^from_cache +yes$/m);
  expect(text).toMatch(/^text +40 characters on 2 pages$/m);
});

test.each([
  [null, 'no text'],
  [1, 'no text on 1 page'],
] as const)('analysis show says that images and scans are not read: %p pages', async (pages, told) => {
  const fileId = await addFile('content');
  await end({ result: { text: { outcome: 'no_text', pages, characters: 0 }, details: [], evidence: null } });
  const text = await cli.text(`analysis show ${fileId}`);
  expect(text).toMatch(new RegExp(`^text +${told}: images and scans are not read$`, 'm'));
  expect(text).toContain('No details found.');
});

test.each<[string, AnalysisResult, RegExp]>([
  [
    'with the setting off',
    { ...result, evidence: null, checks_prevented_by: 'setting' },
    /\nNo evidence: the verification setting was off when the analysis started\.\n/,
  ],
  [
    'without the feature',
    { ...result, evidence: null, checks_prevented_by: 'feature' },
    /\nNo evidence: the organisation did not have the feature verification when .*\n.* organisation feature \S+ verification on\n$/,
  ],
  ['from before the reason was kept', { ...result, evidence: null }, /\nNo evidence: no verification checks ran\.\n/],
  [
    'without an imported register',
    { ...result, evidence: result.evidence?.map((one) => ({ ...one, reason: 'no register was imported' })) ?? null },
    /\nTo import the register uk-companies: document-analysis registry import companies\.csv\n$/,
  ],
  ['with nothing to check', { ...result, details: [], evidence: [] }, /^No details found\.\n\nNo evidence: there /],
])('analysis show says why there is no evidence %s', async (_, given, text) => {
  const fileId = await addFile('text');
  await end({ result: given });
  expect(await shownFindings(fileId)).toMatch(text);
});

test('analysis show shows a file that waits, why an analysis failed, and a file that was imported', async () => {
  const fileId = await addFile('text');
  const show = (id = fileId) => cli.text(`analysis show ${id}`);
  expect(await show()).toMatch(/^analysis_status +waiting_for_analysis$/m);
  await end({ failure: { code: 'broken-file', message: 'The PDF is damaged.' } });
  const text = await show();
  expect(text).toMatch(/^analysis_status +analysis_failed$/m);
  expect(text).toMatch(/^failure +broken-file: The PDF is damaged\.$/m);
  expect(text).not.toContain('evidence');
  const imported = buildCase(['analysing']);
  await cli.withStore((store) => addCase(store, organisationId, imported));
  expect(await show(imported.files[0]?.file_id)).toMatch(/^content_sha256 +-$/m);
});

test('analyse counts what became of the files that waited, and logs why one failed', async () => {
  expect(await cli.run('analyse')).toEqual({ exitCode: 0, stdout: 'No file was analysed.\n', stderr: '' });
  for (const outcomes of ['1 complete, 0 from the cache', '0 complete, 1 from the cache']) {
    await addFile('Company number 01234567');
    expect((await cli.run('analyse')).stdout).toBe(`Analysed 1 file: ${outcomes}, 0 failed.\n`);
  }
  const fileId = await addFile('%PDF-1.7 and no more');
  await cli.withStore(async (store) => {
    for (const minute of [1, 2, 3])
      await store.takeAnalysis({ at: `2026-03-02T11:0${minute}:00.000Z`, leaseMilliseconds: 0 });
  });
  const { exitCode, stdout, stderr } = await cli.run('analyse --json');
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    {
      outcomes: { complete: 0, from_cache: 0, failed: 1, lost: 0, given_back: 0 },
      rechecks: { complete: 0, postponed: 0, given_up: 0, lost: 0, given_back: 0 },
    },
  ]);
  expect(JSON.parse(stderr)).toMatchObject({ fileId, outcome: 'failed', code: 'worker-lost', msg: 'analysed' });
});

test('analyse shows in a terminal how far it has come', async () => {
  await addFile('one');
  await addFile('two');
  expect((await cli.run('analyse', { terminal: true })).stderr).toContain('2/2 files');
});

describe('what an operator sees of evidence and the cache, by the commands alone:', () => {
  beforeEach(() =>
    cli.withStore(async (store) => {
      const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
      const by = { credentialId, requestId: 'r', occurredAt: '2026-03-02T12:00:00.000Z' };
      await store.updateVerificationSetting({ organisationId, enabled: true, ...by });
      await setFeature(store, organisationId, true);
    }),
  );

  const importRegister = async (...line: Parameters<typeof bulkFileLine>) =>
    cli.json(`registry import ${await cli.write('companies.csv', bulkFile(bulkFileLine(...line)))}`);

  /** Adds a file of one content, analyses it, and shows it. */
  async function analyse(options: CliOptions = {}) {
    const fileId = await addFile('ACME LIMITED, company number 01234567\n');
    await cli.json('analyse', options);
    return { fileId, ...(await show(fileId)) };
  }

  async function show(fileId: string) {
    const shown = await cli.json<{ result: AnalysisResult; from_cache: boolean }>(`analysis show ${fileId}`);
    return { verdicts: shown.result.evidence?.map(({ verdict }) => verdict), shown };
  }

  test('a file of the same content is compared with an API again when its response is too old', async () => {
    const api = await startCompaniesHouse();
    const asked = { COMPANY_REGISTRY_URL: api.url.href, COMPANY_REGISTRY_KEY: companiesHouseKey };
    const environment = { COMPANY_REGISTRY: 'http', ...asked };
    const shorter = { ...environment, REGISTRY_RESULT_MAX_AGE: '1m' };
    for (const [time, isCached, settings] of [
      ['02T12:00:00.000Z', false, environment],
      ['03T12:00:00.000Z', true, environment],
      ['03T12:00:00.001Z', false, environment],
      ['03T12:01:00.001Z', true, shorter],
      ['03T12:01:00.002Z', false, shorter],
    ] as const)
      expect(await analyse({ environment: settings, now: new Date(`2026-03-${time}`) })).toMatchObject({
        verdicts: ['match'],
        shown: { from_cache: isCached },
      });
    expect(api.requests).toHaveLength(3);
  });

  test('a later response of a registry is shown beside the result that stays', async () => {
    const { fileId, verdicts, shown } = await analyse();
    expect(verdicts).toEqual(['registry_unavailable']);
    const due = { from_cache: false, later_evidence: null, recheck_due_at: '2026-03-02T12:01:00.000Z' };
    expect(shown).toMatchObject(due);
    await importRegister('01234567', 'ACME LTD', 'Active');
    const { stdout } = await cli.run('analyse', { now: new Date('2026-03-02T12:01:00.000Z') });
    expect(stdout).toBe('No file was analysed.\nAsked registries again: 1 complete, 0 postponed, 0 given up.\n');
    const later_evidence = [{ verdict: 'match', registry: 'UK company register (imported)' }];
    expect(await show(fileId)).toMatchObject({ verdicts, shown: { later_evidence, recheck_due_at: null } });
    expect(await cli.text(`analysis show ${fileId}`)).toMatch(/^01234567 +match +UK company register/m);
    expect(await cli.text('audit list')).toMatch(/file\.evidence\.added +1 unavailable +0 unavailable/);
    expect(await analyse()).toMatchObject({ verdicts: ['match'], shown: { from_cache: true } });
  });
});
