/** `npm run build`: builds the packages and the documentation, unless nothing has changed since the last build. */
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import { buildOnce, digestOf } from './build/build-once.ts';
import { installPackages } from './install-packages.ts';
import { runIn } from './release/run.ts';

/** npm scripts of packages. They are independent: each writes to its own folder, and none reads another's output. */
const steps = [
  { doing: 'documentation', folder: '.', script: 'build:docs' },
  { doing: 'server', folder: '.', script: 'build:server' },
  { doing: 'contract suite', folder: 'contract', script: 'build' },
  { doing: 'client', folder: 'client', script: 'build' },
] as const;

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
const installed = ['node_modules/.package-lock.json', 'scripts/node_modules/.package-lock.json'];

const outputs = ['dist', 'contract/dist', 'client/dist'];

/** Runs a step, and says on stderr how long it took. @throws {Error} with its output if it fails */
async function runStep({ doing, folder, script }: (typeof steps)[number]): Promise<void> {
  const begun = performance.now();
  await runIn(folder)('npm', 'run', '--silent', script).catch((error: unknown) => {
    throw new Error(`The ${doing} cannot be built: in ${folder}/, ${(error as Error).message}`, { cause: error });
  });
  console.error(`Built the ${doing} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

if (import.meta.main)
  await runCommandLine(
    new Command('npm run build').description('Build the packages and the documentation.').action(async () => {
      const begun = performance.now();
      // This may take a minute, and prints a line.
      await installPackages('scripts');
      const build = {
        note: 'node_modules/.cache/document-analysis/build',
        inputs: `${process.version} ${digestOf(inputs, ['node_modules', 'dist'])} ${digestOf(installed)}`,
        outputs,
      };
      // On stderr, because stdout belongs to `npm pack --json`.
      const built = await buildOnce(build, () => {
        console.error(`Building: ${steps.map(({ doing }) => doing).join(', ')}`);
        return Promise.all(steps.map(runStep));
      });
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.error(built ? `Built everything in ${seconds} s` : 'Nothing has changed since the last build.');
    }),
  );
