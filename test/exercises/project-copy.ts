import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterwards } from '../support/afterwards.ts';
import { removeFolder } from '../support/temporary-folder.ts';

const installations = ['.', 'scripts', 'scripts/lint', 'contract/replay', 'test/browser', 'test/mutation'];

/**
 * A copy of the project, as it stands in the working tree, in a folder of its own. It uses the project's installed packages,
 * or a copy of those that have to be in its folder, such as Astro.
 */
export class ProjectCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'document-analysis-exercise-'));

  constructor(copied: readonly string[] = []) {
    afterwards(() => removeFolder(this.folder));
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      encoding: 'utf8',
    });
    for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(name)))
      cpSync(file, join(this.folder, file), { preserveTimestamps: true });
    for (const place of installations) {
      const [own, here] = [resolve(place, 'node_modules'), join(this.folder, place, 'node_modules')];
      if (copied.includes(place)) execFileSync('cp', ['-al', own, here]);
      else symlinkSync(own, here);
    }
  }

  /** @throws {Error} with all that the command printed, if it fails */
  async run(command: string, ...args: string[]): Promise<string> {
    // Redocly leaves times out of its output in a test.
    const env = { ...process.env, NODE_ENV: undefined };
    const child = spawn(command, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${output}`);
    return output;
  }
}
