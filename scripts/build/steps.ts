import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** An npm script that `npm run build` runs. */
export interface BuildStep {
  readonly doing: string;
  /** The folder of the package that has the script. */
  readonly folder: string;
  readonly script: string;
}

/** The steps are independent: each writes to its own folder, and none reads another's output. */
export const steps: readonly BuildStep[] = [
  { doing: 'documentation', folder: '.', script: 'build:docs' },
  { doing: 'server', folder: '.', script: 'build:server' },
  { doing: 'contract suite', folder: 'contract', script: 'build' },
  { doing: 'client', folder: 'client', script: 'build' },
];

/** The files that the steps read, in addition to the installed packages. */
export const inputs = [
  'CHANGELOG.md',
  'README.md',
  'bench/results',
  'client',
  'contract',
  'docs',
  'generated',
  'openapi',
  'package.json',
  'redocly.yaml',
  'scripts',
  'src',
  'tsconfig.json',
];

/** npm's records of the installed packages. */
export const installed = ['node_modules/.package-lock.json', 'scripts/node_modules/.package-lock.json'];

/** The folders that the steps write. */
export const outputs = ['dist', 'contract/dist', 'client/dist'];

/** A step failed; the message contains its output. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/** Runs a step, and says on stderr how long it took. @throws {BuildError} if it fails */
export async function runStep({ doing, folder, script }: BuildStep): Promise<void> {
  const begun = performance.now();
  try {
    await promisify(execFile)('npm', ['run', '--silent', script], { cwd: folder, shell: process.platform === 'win32' });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    const printed = `${stdout}${stderr}`.trim() || message;
    throw new BuildError(`The ${doing} cannot be built: npm run ${script} failed in ${folder}/\n${printed}`);
  }
  console.error(`Built the ${doing} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
