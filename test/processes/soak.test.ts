import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startScript, told, withDataDir } from '../support/process.ts';
import type { SoakReport } from '../soak/report.ts';

const short = ['--program', 'src/main.ts', '--rate', '20', '--idle-connections', '50'];
const main = 'test/soak/main.ts';

test('a short soak responds to every steady request, with hostile clients too, and tells what it saw', async () => {
  await withDataDir(async (folder) => {
    const json = join(folder, 'soak.json');
    const run = startScript(main, [...short, '--minutes', '0.2', '--json', json]);
    expect([await run.ended, run.stderr()]).toEqual([0, expect.not.stringContaining('error')]);
    const { held, findings, phases, hostile } = JSON.parse(await readFile(json, 'utf8')) as SoakReport;
    expect(held).toBe(true);
    expect(findings.filter(({ held: kept }) => kept === true)).toHaveLength(2);
    expect(phases.map(({ name, requests }) => [name, requests > 0])).toEqual(
      ['warm-up', 'before', 'hostile', 'recovery', 'after'].map((name) => [name, true]),
    );
    expect(hostile.map(({ name, connections }) => [name, connections > 0])).toEqual(
      hostile.map(({ name }) => [name, true]),
    );
    expect(run.stdout()).toContain(`Every bound met: ${json}`);
  });
});

test('Ctrl-C ends a soak early, and it tells what it has seen', async () => {
  await withDataDir(async (folder) => {
    const run = startScript(main, [...short, '--minutes', '1', '--json', join(folder, 'soak.json')]);
    await told(run, /(p99)/);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(1);
    expect(run.stdout()).toContain('Ended early:');
  });
});

test('a wrong option is told with exit code 2', async () => {
  const run = startScript(main, ['--minutes', 'many']);
  expect(await run.ended).toBe(2);
  expect(run.stderr()).toContain("option '--minutes <number>' argument 'many' is invalid");
});
