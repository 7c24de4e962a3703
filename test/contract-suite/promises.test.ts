/** Servers of other teams, which keep the interface document and nothing that this implementation adds to it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Report } from '../../contract/run/model.ts';
import { ContractRun } from '../support/contract.ts';
import { createInterfaceServer, interfaceCredentials } from '../support/interface-server.ts';

const ample = ['--timeout-seconds', '10', '--run-timeout-seconds', '500', '--seed', '1'];

async function check(url: string, ...args: string[]) {
  let result = { exitCode: -1 as number | string, stdout: '', report: {} as Report, pageBytes: 0 };
  await ContractRun.in(async (run) => {
    const [json, html] = [run.file('report.json'), run.file('report.html')];
    const given = [...ample, ...args, '--json', json, '--html', html];
    const { exitCode, stdout } = await run.against(url, given, interfaceCredentials);
    const report = JSON.parse(await readFile(json, 'utf8')) as Report;
    result = { exitCode, stdout, report, pageBytes: (await stat(html)).size };
  });
  return result;
}

const failed = ({ results }: Report) =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ check: { id } }) => id);

const conforming =
  /\nThe server conforms to the interface in all that was checked; (\d+) rules not checked\.\n\n(\d+) passed, 0 failed, \d+ skipped\n$/;

describe('a server of plain node:http', () => {
  let server: Server;
  let url: string;
  // One for each test: it still refuses updates for a while after a run that has provoked 429.
  beforeEach(async () => {
    server = createInterfaceServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
  });

  test('conforms to the interface', async () => {
    const { exitCode, stdout, report } = await check(url, '--promises', 'interface', '--provoke-429');
    expect(failed(report)).toEqual([]);
    expect(exitCode).toBe(0);
    const [, notChecked, passed] = (conforming.exec(stdout) ?? []).map(Number);
    expect(passed).toBeGreaterThan(15);
    const open = report.rules.filter(({ outcome }) => outcome === 'not run');
    expect(open).toHaveLength(notChecked ?? -1);
    expect(open.map(({ id }) => id)).toEqual(['2.1-F2', '3.1-S5', '3.1-S6', '4.1-R1', '4.2-R4', '4.2-R5', '6-E1']);
    for (const rule of open) expect(rule).toMatchObject({ source: 'interface', reason: 'missing: operator' });
    expect(new Set(report.results.map((result) => result.check.source))).toEqual(new Set(['interface']));
  });

  test('is told what it lacks for the document, each promise once, in a short report', async () => {
    const { exitCode, stdout, report, pageBytes } = await check(url, '--promises', 'document');
    expect(exitCode).toBe(1);
    const ids = failed(report);
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
});

// .ci/run uses Python where there is one, and does not install it.
const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? describe : describe.skip)("a server of Python's standard library", () => {
  let server: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const script = fileURLToPath(new URL('../support/interface_server.py', import.meta.url));
    server = spawn('python3', [script, JSON.stringify(interfaceCredentials)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    url = `http://127.0.0.1:${port.toString().trim()}`;
  });
  afterAll(() => {
    server.kill();
  });

  test('conforms to the interface', async () => {
    const { exitCode, stdout, report } = await check(url, '--promises', 'interface');
    expect(failed(report)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(conforming);
  });
});
