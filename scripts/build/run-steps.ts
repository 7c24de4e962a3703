import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SingleBar } from 'cli-progress';
import type { BuildStep } from './steps.ts';

const run = promisify(execFile);

/** A step failed; the message contains its output. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/**
 * Runs all steps concurrently, and shows the progress: one live line on a terminal, else a line for each step. Throws a
 * `BuildError` if one fails.
 */
export async function runSteps(
  steps: readonly BuildStep[],
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Promise<true> {
  const running = steps.map(({ doing }) => doing);
  const shown = () => ({ running: running.join(', ') });
  const format = 'Building [{bar}] {value}/{total}, {duration} s: {running}';
  const bar = stream.isTTY
    ? new SingleBar({ format, barsize: 20, stream, clearOnComplete: true, hideCursor: true })
    : undefined;
  if (bar) bar.start(steps.length, 0, shown());
  else stream.write(`Building: ${running.join(', ')}\n`);
  try {
    await Promise.all(
      steps.map(async (step) => {
        const begun = performance.now();
        await runStep(step);
        running.splice(running.indexOf(step.doing), 1);
        if (bar) bar.increment(shown());
        else stream.write(`Built the ${step.doing} in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
      }),
    );
    return true;
  } finally {
    bar?.stop();
  }
}

async function runStep({ doing, folder, script }: BuildStep): Promise<void> {
  try {
    await run('npm', ['run', '--silent', script], { cwd: folder, shell: process.platform === 'win32' });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    const printed = `${stdout}${stderr}`.trim() || message;
    throw new BuildError(`The ${doing} cannot be built: npm run ${script} failed in ${folder}/\n${printed}`);
  }
}
