/** What an operator sees of evidence and the cache, by the commands alone. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../../src/domain/analysis.ts';
import { bulkFile, bulkFileLine } from '../../support/bulk-file.ts';
import { CliHarness, type CliOptions } from '../../support/cli.ts';
import { companiesHouseKey, startCompaniesHouse } from '../../support/companies-house.ts';
import { addCase, addCredential, setFeature } from '../../support/tenants.ts';

let cli: CliHarness;
let caseId: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  const organisationId = await cli.addOrganisation();
  caseId = await cli.withStore(async (store) => {
    const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
    const by = { credentialId, requestId: 'r', occurredAt: '2026-03-02T12:00:00.000Z' };
    await store.updateVerificationSetting({ organisationId, enabled: true, ...by });
    await setFeature(store, organisationId, true);
    return addCase(store, organisationId);
  });
});
afterEach(() => cli.stop());

async function importRegister(...lines: string[]): Promise<void> {
  await cli.json(['registry', 'import', await cli.write('companies.csv', bulkFile(...lines))]);
}

/** Adds a file of one content, analyses it, and shows it. */
async function analyse(options: CliOptions = {}) {
  const path = await cli.write('letter.txt', 'ACME LIMITED, company number 01234567\n');
  const { files } = await cli.json<{ files: { file_id: string }[] }>(['file', 'add', caseId, path]);
  const fileId = files[0]?.file_id ?? '';
  await cli.json(['analyse'], options);
  return { fileId, ...(await show(fileId)) };
}

async function show(fileId: string) {
  const shown = await cli.json<{ result: AnalysisResult; from_cache: boolean }>(['analysis', 'show', fileId]);
  return { verdicts: shown.result.evidence?.map(({ verdict }) => verdict), shown };
}

test('a file of the same content is compared with the register that was imported since', async () => {
  await importRegister(bulkFileLine('00000007', 'OTHER LTD', 'Active'));
  const first = await analyse();
  expect(first).toMatchObject({ verdicts: ['not_found'], shown: { from_cache: false } });
  expect(await analyse()).toMatchObject({ verdicts: ['not_found'], shown: { from_cache: true } });

  await importRegister(bulkFileLine('01234567', 'ACME LTD', 'Active'));
  const second = await analyse();
  expect(second).toMatchObject({ verdicts: ['match'], shown: { from_cache: false } });
  expect(await analyse()).toMatchObject({ verdicts: ['match'], shown: { from_cache: true } });
  expect(await show(first.fileId)).toEqual({ verdicts: first.verdicts, shown: first.shown });
  const [before, after] = [first, second].map(({ shown }) => shown.result.evidence?.[0]?.edition);
  expect([before, after]).toEqual([expect.stringMatching(/^import 1 of 2/), expect.stringMatching(/^import 2 of 2/)]);
});

test('a file of the same content is compared with an API again when its response is too old', async () => {
  const api = await startCompaniesHouse();
  const environment = {
    COMPANY_REGISTRY: 'http',
    COMPANY_REGISTRY_URL: api.url.href,
    COMPANY_REGISTRY_KEY: companiesHouseKey,
  };
  try {
    const at = (time: string, more: NodeJS.ProcessEnv = {}) =>
      analyse({ environment: { ...environment, ...more }, now: new Date(time) });
    const verdicts = ['match'];
    expect(await at('2026-03-02T12:00:00.000Z')).toMatchObject({ verdicts, shown: { from_cache: false } });
    expect(await at('2026-03-03T12:00:00.000Z')).toMatchObject({ verdicts, shown: { from_cache: true } });
    expect(await at('2026-03-03T12:00:00.001Z')).toMatchObject({ verdicts, shown: { from_cache: false } });
    const shorter = { REGISTRY_RESULT_MAX_AGE: '1m' };
    expect(await at('2026-03-03T12:01:00.001Z', shorter)).toMatchObject({ verdicts, shown: { from_cache: true } });
    expect(await at('2026-03-03T12:01:00.002Z', shorter)).toMatchObject({ verdicts, shown: { from_cache: false } });
    expect(api.requests).toHaveLength(3);
  } finally {
    await api.close();
  }
});

test('a later response of a registry is shown beside the result that stays', async () => {
  const first = await analyse();
  expect(first).toMatchObject({
    verdicts: ['registry_unavailable'],
    shown: { from_cache: false, later_evidence: null, recheck_due_at: '2026-03-02T12:01:00.000Z' },
  });
  await importRegister(bulkFileLine('01234567', 'ACME LTD', 'Active'));
  const { stdout } = await cli.run(['analyse'], { now: new Date('2026-03-02T12:01:00.000Z') });
  expect(stdout).toBe('No file was analysed.\nAsked registries again: 1 complete, 0 postponed, 0 given up.\n');
  const { fileId } = first;
  expect(await show(fileId)).toMatchObject({
    verdicts: first.verdicts,
    shown: { later_evidence: [{ verdict: 'match', registry: 'UK company register (imported)' }], recheck_due_at: null },
  });
  expect((await cli.run(['analysis', 'show', fileId])).stdout).toMatch(/^01234567 +match +UK company register/m);
  expect((await cli.run(['audit', 'list'])).stdout).toMatch(/file\.evidence\.added +1 unavailable +0 unavailable/);
  expect(await analyse()).toMatchObject({ verdicts: ['match'], shown: { from_cache: true } });
});
