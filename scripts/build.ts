/** `npm run build`: builds the packages and the documentation, unless nothing has changed since the last build. */
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import { buildOnce, digestOf } from './build/build-once.ts';
import { inputs, installed, outputs, runStep, steps } from './build/steps.ts';
import { installPackages } from './install-packages.ts';

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
