/** Numbers on a document, compared by real processes with the registries that the tests speak for. */
import { expect, test } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import { AnalysisSite } from '../support/analysis-site.ts';
import { bulkFile, bulkFileLine, corporationFiles } from '../support/bulk-file.ts';
import { responding, startVatRegistry, vatCredentials } from '../support/companies-house.ts';

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
