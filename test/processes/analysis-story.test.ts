/** Files from end to end: real processes, a real registry, the API over HTTP. */
import { expect } from '@jest/globals';
import type { AnalysisResult } from '../../src/domain/analysis.ts';
import { isAnalysisEnd } from '../../src/domain/audit.ts';
import { testOnSites } from '../support/analysis-site.ts';
import { bulkFile, bulkFileLine } from '../support/bulk-file.ts';
import { pdfOf } from '../support/write-pdf.ts';

const certificate = pdfOf([
  'ACME WIDGETS LIMITED\nRegistered in England and Wales, company number 01234567',
  'Supplied by: Beta Trading, company number 07654321\nand Gamma, company number 09999999\nVAT number GB 123 4567 82',
]);

const register = bulkFile(
  bulkFileLine('01234567', 'ACME WIDGETS LIMITED'),
  bulkFileLine('07654321', 'QUITE ANOTHER COMPANY LIMITED', 'Liquidation'),
);

/** What `analysis show --json` prints, as far as the story is about it. */
interface Shown {
  analysis_status: string;
  from_cache: boolean;
  verification_enabled: boolean;
  result: AnalysisResult;
}

const onOrOff = ({ enabled }: { enabled: boolean }) => (enabled ? 'on' : 'off');

testOnSites('a change of the setting applies to the analyses after it, and to no result before it', async (site) => {
  await site.serve();
  const path = await site.write('certificate.pdf', certificate);
  const show = (fileId: string) => site.run(['analysis', 'show', fileId, '--json']);
  const analysed = async (): Promise<{ fileId: string; text: string; shown: Shown }> => {
    const [fileId = ''] = await site.addFiles(path);
    await site.until(fileId, 'analysis_complete');
    // A minute later a register that was unavailable is asked again, and this may take longer.
    await site.makeRechecksDue('2999-01-01T00:00:00.000Z');
    expect(await site.statusOf(fileId)).toBe('analysis_complete');
    const text = await show(fileId);
    return { fileId, text, shown: JSON.parse(text) as Shown };
  };
  const verdicts = ({ result }: Shown) => result.evidence?.map(({ value, verdict }) => [value, verdict]);

  const first = await analysed();
  expect(first.shown).toMatchObject({ from_cache: false, verification_enabled: false, result: { evidence: null } });
  expect(first.shown.result.details.map(({ value, page }) => [value, page])).toEqual([
    ['01234567', 1],
    ['07654321', 2],
    ['09999999', 2],
    ['GB123456782', 2],
  ]);

  await site.setVerification(true);
  const away = await analysed();
  expect(away.shown).toMatchObject({ from_cache: false, verification_enabled: true });
  expect(away.shown.result.evidence?.[0]).toMatchObject({
    verdict: 'registry_unavailable',
    reason: 'no register was imported',
  });

  await site.run(['registry', 'import', await site.write('companies.csv', register)]);
  const second = await analysed();
  expect(second.shown).toMatchObject({ from_cache: false, verification_enabled: true });
  expect(verdicts(second.shown)).toEqual([
    ['01234567', 'match'],
    ['07654321', 'mismatch'],
    ['09999999', 'not_found'],
    ['GB123456782', 'registry_unavailable'],
  ]);
  expect(second.shown.result.evidence?.[1]?.record).toEqual({
    value: '07654321',
    name: 'QUITE ANOTHER COMPANY LIMITED',
    status: 'Liquidation',
  });

  const third = await analysed();
  expect(third.shown).toMatchObject({ from_cache: true, result: second.shown.result });

  await site.setVerification(true);
  const fourth = await analysed();
  expect(fourth.shown).toMatchObject({ from_cache: true, result: second.shown.result });

  const feature = (state: string) => site.run(['organisation', 'feature', site.organisationId, 'verification', state]);
  expect(await feature('off')).toContain('the verification setting stays on. Cached results cleared: 1.');
  const without = await analysed();
  expect(without.shown).toMatchObject({
    ...{ from_cache: false, verification_enabled: false },
    result: { ...first.shown.result, checks_prevented_by: 'feature' },
  });
  expect(await feature('on')).toContain('run checks. Cached results cleared: 1.');
  const returned = await analysed();
  expect(returned.shown).toMatchObject({ from_cache: false, verification_enabled: true });
  expect(verdicts(returned.shown)).toEqual(verdicts(second.shown));

  await site.setVerification(false);
  const fifth = await analysed();
  expect(fifth.shown).toMatchObject({ from_cache: false, verification_enabled: false, result: first.shown.result });

  for (const { fileId, text } of [first, away, second, third, fourth, without, returned])
    expect(await show(fileId)).toBe(text);

  const entries = await site.store.listAuditEntries({ organisationId: site.organisationId, limit: 100 });
  const told = entries.map((entry) => {
    if (entry.action === 'file.evidence.added') return entry.action;
    return isAnalysisEnd(entry)
      ? `${entry.action}${entry.after.from_cache ? ' from the cache' : ''}`
      : `${entry.action.slice('organisation.'.length)}: ${onOrOff(entry.before)} to ${onOrOff(entry.after)}, ${entry.cleared} cleared`;
  });
  expect(told.reverse()).toEqual([
    'file.analysis.completed',
    'verification-setting.updated: off to on, 1 cleared',
    'file.analysis.completed',
    'file.analysis.completed',
    'file.analysis.completed from the cache',
    'verification-setting.updated: on to on, 0 cleared',
    'file.analysis.completed from the cache',
    'feature.updated: on to off, 1 cleared',
    'file.analysis.completed',
    'feature.updated: off to on, 1 cleared',
    'file.analysis.completed',
    'verification-setting.updated: on to off, 1 cleared',
    'file.analysis.completed',
  ]);
});
