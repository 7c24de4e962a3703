/** Servers of other teams, which keep the interface document and nothing that this implementation adds to it. */
import { expect, test } from '@jest/globals';
import { readFile, stat } from 'node:fs/promises';
import type { Report } from '../../contract/run/model.ts';
import { eachRun, idsOf } from '../support/contract.ts';
import { interfaceHandler, interfaceCredentials } from '../support/interface-server.ts';

const ample = ['--timeout-seconds', '60', '--run-timeout-seconds', '500', '--seed', '1'];

const run = eachRun();

async function check(url: string, ...args: string[]) {
  const [json, html] = [run.file('report.json'), run.file('report.html')];
  const given = [...ample, ...args, '--json', json, '--html', html];
  const outcome = await run.against(url, given, interfaceCredentials);
  const report = JSON.parse(await readFile(json, 'utf8')) as Report;
  return { ...outcome, report, failed: idsOf(report, 'failed'), pageBytes: (await stat(html)).size };
}

const conforming =
  /\nThe server conforms to the interface in all that was checked; (\d+) rules not checked\.\n\n(\d+) passed, 0 failed, \d+ skipped\n$/;

// One for each test: it still refuses updates for a while after a run that has provoked 429.
const start = () => run.serve(interfaceHandler());

test('a server of plain node:http conforms to the interface', async () => {
  const args = ['--promises', 'interface', '--provoke-429'];
  const { exitCode, stdout, report, failed } = await check(await start(), ...args);
  expect([failed, report.problems, exitCode]).toEqual([[], [], 0]);
  const [, notChecked, passed] = (conforming.exec(stdout) ?? []).map(Number);
  expect(passed).toBeGreaterThan(15);
  const open = report.rules.filter(({ outcome }) => outcome === 'not run');
  expect(open).toHaveLength(notChecked ?? -1);
  expect(open.map(({ id }) => id)).toEqual(['2.1-F2', '3.1-S5', '3.1-S6', '4.1-R1', '4.2-R4', '4.2-R5', '6-E1']);
  for (const rule of open) expect(rule).toMatchObject({ source: 'interface', reason: 'missing: operator' });
  expect(new Set(report.results.map((result) => result.check.source))).toEqual(new Set(['interface']));
});

test('a server of plain node:http is told what it lacks for the document, each promise once, in a short report', async () => {
  const { exitCode, stdout, failed: ids, pageBytes } = await check(await start(), '--promises', 'document');
  expect(exitCode).toBe(1);
  for (const id of [
    'conformance.getCase.200.header.RateLimit',
    'conformance.getCase.200.body',
    'conformance.getCase.status',
    'conformance.updateVerificationSetting.400.body',
    'conformance.service.404.header.X-Request-Id',
    'replay.updateVerificationSetting.415',
    'replay.updateVerificationSetting.413',
  ])
    expect(ids).toContain(id);
  expect(ids).not.toContain('replay.getVerificationSetting.200');
  expect(ids).not.toContain('explored.getVerificationSetting.success');
  expect(stdout).toMatch(/the header RateLimit is missing \(\d+ checks, \d+ exchanges\)\n/);
  expect(stdout).toContain('The server does not conform to the document.');
  expect(stdout.length).toBeLessThan(20_000);
  expect(pageBytes).toBeLessThan(200_000);
});
