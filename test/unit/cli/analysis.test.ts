import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnalysisFailure, AnalysisResult } from '../../../src/domain/analysis.ts';
import { CliHarness } from '../../support/cli.ts';
import { addCase, buildCase } from '../../support/tenants.ts';

let cli: CliHarness;
let caseId: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  const organisationId = await cli.addOrganisation();
  caseId = await cli.withStore((store) => addCase(store, organisationId));
});
afterEach(() => cli.stop());

async function addFiles(...contents: string[]): Promise<string[]> {
  const paths = await Promise.all(contents.map((content, index) => cli.write(`${index}.txt`, content)));
  const added = await cli.json<{ files: { file_id: string }[] }>(['file', 'add', caseId, ...paths]);
  return added.files.map(({ file_id: id }) => id);
}

/** Takes the file that waits and ends it so. */
async function end(ending: { result: AnalysisResult } | { failure: AnalysisFailure }): Promise<void> {
  await cli.withStore(async (store) => {
    const at = '2026-03-02T12:00:01.000Z';
    const taken = await store.takeAnalysis({ at, leaseMilliseconds: 60_000 });
    if (taken?.analysis_status !== 'analysing') throw new Error('no file was taken');
    if ('failure' in ending) await store.failAnalysis(taken.lease, { ...ending, at });
    else await store.completeAnalysis(taken.lease, { ...ending, cacheable: true, at });
  });
}

const result: AnalysisResult = {
  text: { outcome: 'text', pages: 2, characters: 40 },
  details: [
    { kind: 'uk-company-number', value: '01234567', found_as: 'No. 01234567\u202e', page: 1 },
    { kind: 'uk-vat-number', value: 'GB123456782', found_as: '123 4567 82', page: 2 },
  ],
  evidence: [
    {
      kind: 'uk-company-number',
      value: '01234567',
      registry: 'the register',
      edition: null,
      record: { value: '01234567', name: 'ACME LIMITED', status: 'Active' },
      asked_at: '2026-03-02T12:00:01.000Z',
      verdict: 'match',
      reason: null,
    },
    {
      kind: 'uk-vat-number',
      value: 'GB123456782',
      registry: null,
      edition: null,
      record: null,
      asked_at: '2026-03-02T12:00:01.000Z',
      verdict: 'registry_unavailable',
      reason: 'no registry is configured for this kind of detail',
    },
  ],
};

/** The lines behind the overview, which holds identifiers and a hash. */
async function shownFindings(fileId: string): Promise<string> {
  const { exitCode, stdout, stderr } = await cli.run(['analysis', 'show', fileId.toUpperCase()]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout.slice(stdout.indexOf('\n\n') + 2);
}

describe('analysis show', () => {
  test('shows what was found, and the evidence on it, without what could steer a terminal', async () => {
    const [fileId = ''] = await addFiles('text');
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
  });

  test('tells machines all of it', async () => {
    const [fileId = ''] = await addFiles('text');
    await end({ result });
    expect(await cli.json(['analysis', 'show', fileId])).toEqual({
      file_id: fileId,
      case_id: caseId,
      organisation_id: expect.any(String) as unknown,
      label: '0.txt',
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

  test('with --wait, waits until the analysis has ended', async () => {
    const [fileId = ''] = await addFiles('text');
    const waiting = cli.json<object>(['analysis', 'show', fileId, '--wait', '60s']);
    await end({ result });
    expect(await waiting).toMatchObject({ analysis_status: 'analysis_complete', result });
  });

  test('with --wait, fails if the analysis takes longer', async () => {
    const [fileId = ''] = await addFiles('text');
    expect(await cli.run(['analysis', 'show', fileId, '--wait', '0s'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: The file is still waiting_for_analysis. Is a server running? Without one, run: document-analysis analyse\n',
    });
  });

  test('says that a result is from the cache', async () => {
    await addFiles('same');
    await end({ result });
    const [fileId = ''] = await addFiles('same');
    await cli.run(['analyse']);
    const { stdout } = await cli.run(['analysis', 'show', fileId]);
    expect(stdout).toMatch(/^from_cache +yes$/m);
    expect(stdout).toMatch(/^text +40 characters on 2 pages$/m);
  });

  test('says of an image and of a scan that they have no text, since pictures are not read', async () => {
    for (const [pages, text] of [
      [null, 'no text'],
      [1, 'no text on 1 page'],
    ] as const) {
      const [fileId = ''] = await addFiles(`content ${pages}`);
      await end({ result: { text: { outcome: 'no_text', pages, characters: 0 }, details: [], evidence: null } });
      const { stdout } = await cli.run(['analysis', 'show', fileId]);
      expect(stdout).toMatch(new RegExp(`^text +${text}: images and scans are not read$`, 'm'));
      expect(stdout).toContain('No details found.');
    }
  });

  test.each([
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
  ] satisfies [string, AnalysisResult, RegExp][])('says why there is no evidence %s', async (_, given, text) => {
    const [fileId = ''] = await addFiles('text');
    await end({ result: given });
    expect(await shownFindings(fileId)).toMatch(text);
  });

  test('shows why an analysis failed', async () => {
    const [fileId = ''] = await addFiles('text');
    await end({ failure: { code: 'broken-file', message: 'The PDF is damaged.' } });
    const { stdout } = await cli.run(['analysis', 'show', fileId]);
    expect(stdout).toMatch(/^analysis_status +analysis_failed$/m);
    expect(stdout).toMatch(/^failure +broken-file: The PDF is damaged\.$/m);
    expect(stdout).not.toContain('evidence');
  });

  test('shows a file that waits, and an imported one', async () => {
    const [fileId = ''] = await addFiles('text');
    expect((await cli.run(['analysis', 'show', fileId])).stdout).toMatch(/^analysis_status +waiting_for_analysis$/m);
    const imported = buildCase(['analysing']);
    const organisationId = await cli.addOrganisation('Other Ltd');
    await cli.withStore((store) => addCase(store, organisationId, imported));
    const { stdout } = await cli.run(['analysis', 'show', imported.files[0]?.file_id ?? '']);
    expect(stdout).toMatch(/^content_sha256 +-$/m);
  });

  test('refuses a file that nobody has', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['analysis', 'show', 'nobody']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: There is no file nobody\. .*document-analysis case show CASE\n$/);
  });
});

describe('analyse', () => {
  test('says that nothing waits', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['analyse']);
    expect([exitCode, stdout, stderr]).toEqual([0, 'No file was analysed.\n', '']);
  });

  test('counts what became of the files that waited, and logs why one failed', async () => {
    await addFiles('Company number 01234567');
    expect((await cli.run(['analyse'])).stdout).toBe('Analysed 1 file: 1 complete, 0 from the cache, 0 failed.\n');
    await addFiles('Company number 01234567');
    expect((await cli.run(['analyse'])).stdout).toBe('Analysed 1 file: 0 complete, 1 from the cache, 0 failed.\n');
    const [fileId = ''] = await addFiles('%PDF-1.7 and no more');
    await cli.withStore(async (store) => {
      for (let attempt = 1; attempt <= 3; attempt += 1)
        await store.takeAnalysis({
          at: `2026-03-02T11:0${attempt}:00.000Z`,
          leaseMilliseconds: 0,
        });
    });
    const { exitCode, stdout, stderr } = await cli.run(['analyse', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        outcomes: { complete: 0, from_cache: 0, failed: 1, lost: 0, given_back: 0 },
        rechecks: { complete: 0, postponed: 0, given_up: 0, lost: 0, given_back: 0 },
      },
    ]);
    expect(JSON.parse(stderr)).toMatchObject({ fileId, outcome: 'failed', code: 'worker-lost', msg: 'analysed' });
  });

  test('shows in a terminal how far it has come', async () => {
    await addFiles('one', 'two');
    const { stderr } = await cli.run(['analyse'], { terminal: true });
    expect(stderr).toContain('2/2 files');
  });
});
