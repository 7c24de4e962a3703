/** Numbers on a document, compared by real processes with the registries that the tests speak for. */
import { expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import { AnalysisSite, testOnSites } from '../support/analysis-site.ts';
import { bulkFile, bulkFileLine, corporationFiles } from '../support/bulk-file.ts';
import { responding, startVatRegistry, vatCredentials } from '../support/companies-house.ts';
import { stop } from '../support/process.ts';
import { until } from '../support/until.ts';

const letter = `ACME WIDGETS LIMITED, company number 01234567, VAT number GB 123 4567 82, formerly VAT number 123456727
Les Bidules Acmé du Canada Limitée, numéro de société 426160-7, numéro d'entreprise 123456782, TPS 123456782RT0001
Corporation number 600100, USt-IdNr. DE 136 695 976`;

const canada = {
  ...{ number: '4261607', businessNumber: '123456782', name: 'ACME WIDGETS OF CANADA LTD.' },
  otherName: 'LES BIDULES ACMÉ DU CANADA LTÉE',
};

async function evidenceOn(site: AnalysisSite, path: string): Promise<(string | null | undefined)[][]> {
  const [fileId = ''] = await site.addFiles(path);
  await site.until(fileId, 'analysis_complete');
  const shown = await site.json<{ result: AnalysisResult }>(['analysis', 'show', fileId]);
  return (shown.result.evidence ?? []).map(({ value, verdict, record, reason }) => [
    value,
    verdict,
    record?.name ?? reason,
  ]);
}

test('each number is compared with the register of its kind, and one without a register says so', async () => {
  const vat = await startVatRegistry();
  await AnalysisSite.in(async (site) => {
    const { clientId, clientSecret } = vatCredentials;
    const server = await site.serve([], {
      VAT_REGISTRY: 'http',
      VAT_REGISTRY_URL: vat.url.href,
      VAT_REGISTRY_CLIENT_ID: clientId,
      VAT_REGISTRY_CLIENT_SECRET_FILE: await site.write('secret', `${clientSecret}\n`),
    });
    await site.setVerification(true);
    const companies = bulkFile(bulkFileLine('01234567', 'ACME WIDGETS LIMITED'));
    await site.run(['registry', 'import', await site.write('companies.csv', companies)]);
    const files = Object.entries(corporationFiles(canada)).map(([name, text]) => site.write(name, text));
    await site.run(['registry', 'import', '--register', 'ca-corporations', ...(await Promise.all(files))]);
    const path = await site.write('letter.txt', letter);

    vat.always = responding(200, '<!DOCTYPE html><title>Sorry, there is a problem</title>');
    const notJson = 'the register is unavailable: its response is not JSON';
    const before = await evidenceOn(site, path);
    expect(before.slice(1, 3)).toEqual([
      ['GB123456782', 'registry_unavailable', notJson],
      ['GB123456727', 'registry_unavailable', notJson],
    ]);

    vat.always = undefined;
    expect(await evidenceOn(site, path)).toEqual([
      ['01234567', 'match', 'ACME WIDGETS LIMITED'],
      ['GB123456782', 'match', 'ACME WIDGETS LIMITED'],
      ['GB123456727', 'not_found', null],
      ['4261607', 'match', 'ACME WIDGETS OF CANADA LTD.'],
      ['123456782', 'match', 'ACME WIDGETS OF CANADA LTD.'],
      [
        '123456782RT0001',
        'no_public_register',
        'there is no public register of GST/HST accounts that a program can ask',
      ],
      ['600100', 'mismatch', 'GONE INC.'],
      ['DE136695976', 'not_supported', 'VAT numbers of countries other than the United Kingdom are not supported'],
    ]);
    expect(server.stderr()).not.toContain(clientSecret);
    expect(vat.count('/oauth/token')).toBe(1);
  });
  await vat.close();
});

const numbers = Array.from({ length: 30 }, (_, index) => String(index + 1).padStart(8, '0'));
const manyNumbers = `Acme Ltd\n${numbers.map((number) => `company number ${number}\n`).join('')}`;

testOnSites('neither a slow registry nor a killed worker keeps a document from its evidence for long', async (site) => {
  const registry = await site.startRegistry();
  await site.serve(['--no-analysis']);
  await site.setVerification(true);
  const path = await site.write('many.txt', manyNumbers);
  const [fileId = ''] = await site.addFiles(path);

  registry.respondTo(5);
  await site.run(['analyse'], registry.environment);
  // It is not waited for with each number: that would take minutes.
  expect(new Set(registry.asked).size).toBeLessThan(numbers.length / 2);
  const open = numbers.length - 5;
  expect((await site.verdictsOf(fileId)).sort()).toEqual([
    ...Array<string>(5).fill('match'),
    ...Array<string>(open).fill('registry_unavailable'),
  ]);
  expect(registry.mostAtOnce).toBe(4);
  const before = await site.store.readAnalysis(fileId);
  expect(before).toMatchObject({ analysis_status: 'analysis_complete', later_evidence: null });
  expect(Date.parse(before.recheck_due_at ?? '')).toBeGreaterThan(Date.now());

  await site.makeRechecksDue();
  registry.asked.splice(0);
  const killed = site.start(['analyse', '--watch'], registry.environment);
  await registry.waiting();
  killed.child.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  expect(await site.store.readAnalysis(fileId)).toMatchObject({ later_evidence: null });

  registry.respondTo(Infinity);
  const other = site.start(['analyse', '--watch'], registry.environment);
  const isFound = async () => {
    const { later_evidence: later, recheck_due_at: dueAt } = await site.store.readAnalysis(fileId);
    if (dueAt === null) return true;
    // Ten seconds hold 19 requests, so this may take more than one pass, and nobody has a lease between two.
    if (later !== null && Date.parse(dueAt) > Date.now() + 30_000) await site.makeRechecksDue();
    return false;
  };
  await until(() => `every question has a response\n${other.stderr()}`, isFound, 200);
  await stop(other, 'SIGINT');
  const { later_evidence: later, ...after } = await site.store.readAnalysis(fileId);
  expect(after).toEqual({ ...before, later_evidence: undefined, recheck_due_at: null });
  expect(later?.map(({ verdict }) => verdict)).toEqual(Array(open).fill('match'));
  expect(other.stdout()).toMatch(/Asked registries again: 1 complete/);
  const entries = await site.store.listAuditEntries({ limit: 10 });
  const added = entries.filter(({ action }) => action === 'file.evidence.added');
  expect(added[0]).toMatchObject({ after: { file_id: fileId, unavailable: 0 } });
  expect(added.at(-1)).toMatchObject({ before: { unavailable: open } });

  const asked = registry.asked.length;
  const [again = ''] = await site.addFiles(path);
  await site.run(['analyse'], registry.environment);
  expect(await site.store.readAnalysis(again)).toMatchObject({ from_cache: true });
  expect([await site.verdictsOf(again), registry.asked.length]).toEqual([Array(numbers.length).fill('match'), asked]);
});
