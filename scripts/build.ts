/** `npm run build`: builds the packages and the documentation, unless nothing has changed since the last build. */
import { digestOfInputs, forgetBuild, isBuilt, noteBuild } from './build/record.ts';
import { BuildError, runSteps } from './build/run-steps.ts';
import { steps } from './build/steps.ts';
import { installPackages } from './install-packages.ts';

const begun = performance.now();
// It may take a minute, and prints that it is running.
await installPackages('scripts');
const inputs = digestOfInputs();
if (isBuilt(inputs)) console.error('Nothing has changed since the last build.');
else
  try {
    forgetBuild();
    // On stderr, because stdout belongs to `npm pack --json`.
    await runSteps(steps, process.stderr);
    noteBuild(inputs);
    console.error(`Built everything in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
