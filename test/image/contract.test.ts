/** The image of the contract suite, built and run as image.test.ts does with that of the server. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { afterwards } from '../support/afterwards.ts';
import { buildImage } from './build.ts';
import { start } from './root-folder.ts';

const { image, folder } = await buildImage('contract/Dockerfile');

/** What `docker run` does with a folder of the machine at /work: as the image's user, with a read-only root folder. */
function run(args: readonly string[], work: string) {
  return start({ ...image, mounts: { '/work': work }, readOnly: true }, [...image.entrypoint, ...args]).ended;
}

describe('the image of the contract suite', () => {
  test('is small', () => {
    const [bytes] = execFileSync('du', ['-sb', join(image.root, 'app')], { encoding: 'utf8' }).split('\t');
    expect(Number(bytes)).toBeLessThan(60e6);
  });

  test('shows the help of check, if it is told nothing', async () => {
    const work = join(folder, 'empty');
    await mkdir(work);
    expect(await run(image.cmd, work)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Usage: document-analysis-contract check /),
    });
  });

  test('checks a server, and writes its reports into the folder that is given to it', async () => {
    const work = join(folder, 'work');
    await mkdir(work);
    await chmod(work, 0o777);
    const target = await startOwnTarget();
    afterwards(() => target.close());
    await writeFile(join(work, 'credentials.json'), JSON.stringify(target.credentials));
    const configured = `url: ${target.credentials.base_url}\ncredentials: credentials.json\njunit: r/contract.xml`;
    await writeFile(join(work, 'document-analysis-contract.yaml'), configured);
    const { code, output } = await run(['check', '--only', 'replay.getCase.*'], work);
    expect(output).toMatch(/\nreplay +3 +0 +\d+\n[^]*\n\d+ passed, 0 failed, \d+ skipped\n$/);
    expect(code).toBe(0);
    expect(await readFile(join(work, 'r/contract.xml'), 'utf8')).toContain('<testsuites ');
  });
});
