/** What an operator sees of evidence and the cache, by the commands alone. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../../src/domain/analysis.ts';
import { bulkFile, bulkFileLine } from '../../support/bulk-file.ts';
import { CliHarness } from '../../support/cli.ts';
import { addCase, addCredential } from '../../support/tenants.ts';

let cli: CliHarness;
let caseId: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  const organisationId = await cli.addOrganisation();
  caseId = await cli.withStore(async (store) => {
    const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
    const by = { credentialId, requestId: 'r', occurredAt: '2026-03-02T12:00:00.000Z' };
    await store.updateVerificationSetting({ organisationId, enabled: true, ...by });
    return addCase(store, organisationId);
  });
});
afterEach(() => cli.stop());

async function importRegister(...lines: string[]): Promise<void> {
  await cli.json(['registry', 'import', await cli.write('companies.csv', bulkFile(...lines))]);
}

/** Adds a file of one content, analyses it, and shows it. */
async function analyse() {
  const path = await cli.write('letter.txt', 'ACME LIMITED, company number 01234567\n');
  const { files } = await cli.json<{ files: { file_id: string }[] }>(['file', 'add', caseId, path]);
  const fileId = files[0]?.file_id ?? '';
  await cli.json(['analyse']);
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
