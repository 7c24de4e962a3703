/** Jest's set-up of this suite: packs each package once, before any test file runs, because packing removes and builds dist/. */
import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { folders, run, tarballs } from './packed.ts';

export default async function pack(): Promise<void> {
  await rm(tarballs, { recursive: true, force: true });
  await mkdir(tarballs, { recursive: true });
  for (const folder of folders) {
    await run('npm', ['pack', '--pack-destination', resolve(tarballs)], { cwd: folder }).catch((error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`npm pack of ${folder} failed:\n${stdout}${stderr}`);
    });
  }
}
