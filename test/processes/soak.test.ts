import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startScript, withDataDir } from '../support/process.ts';
import type { SoakReport } from '../soak/main.ts';

const short = ['--program', 'src/main.ts', '--rate', '20', '--idle-connections', '50', '--minutes', '0.2'];

test('a short soak responds to every steady request, with hostile clients too, and tells what it saw', async () => {
  await withDataDir(async (folder) => {
    const json = join(folder, 'soak.json');
    const run = startScript('test/soak/main.ts', [...short, '--json', json]);
    expect([await run.ended, run.stderr()]).toEqual([0, expect.not.stringContaining('error')]);
    const { met, findings, phases, hostile } = JSON.parse(await readFile(json, 'utf8')) as SoakReport;
    expect(met).toBe(true);
    expect(findings.filter((finding) => finding.met === true)).toHaveLength(2);
    expect(phases.map(({ name, requests }) => [name, requests > 0])).toEqual(
      ['warm-up', 'before', 'hostile', 'recovery', 'after'].map((name) => [name, true]),
    );
    expect(hostile.map(({ name, connections }) => [name, connections > 0])).toEqual(
      hostile.map(({ name }) => [name, true]),
    );
    expect(run.stdout()).toContain(`Every bound met: ${json}`);
  });
});
