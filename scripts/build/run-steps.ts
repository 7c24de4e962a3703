import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SingleBar } from 'cli-progress';
import type { BuildStep } from './steps.ts';

const run = promisify(execFile);

/** The destination of the progress: one live line on a terminal, else a line for each step. */
export type ProgressOutput = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** A step failed; the message contains its output. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/** Runs all steps concurrently. Throws a `BuildError` if one fails. */
export async function runSteps(steps: readonly BuildStep[], output: ProgressOutput): Promise<void> {
  const progress = output.isTTY === true ? liveLine(output, steps.length) : plainLines(output);
  const running = steps.map(({ doing }) => doing);
  progress.show(running);
  try {
    await Promise.all(
      steps.map(async (step) => {
        const begun = performance.now();
        await runStep(step);
        running.splice(running.indexOf(step.doing), 1);
        progress.done(step.doing, (performance.now() - begun) / 1000, running);
      }),
    );
  } finally {
    progress.end();
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

interface Progress {
  show(running: readonly string[]): void;
  done(doing: string, seconds: number, running: readonly string[]): void;
  end(): void;
}

function plainLines(output: ProgressOutput): Progress {
  return {
    show: (running) => output.write(`Building: ${running.join(', ')}\n`),
    done: (doing, seconds) => output.write(`Built the ${doing} in ${seconds.toFixed(1)} s\n`),
    end: () => undefined,
  };
}

function liveLine(stream: ProgressOutput, total: number): Progress {
  const bar = new SingleBar({
    format: 'Building [{bar}] {value}/{total}, {duration} s: {running}',
    barsize: 20,
    stream,
    clearOnComplete: true,
    hideCursor: true,
  });
  return {
    show: (running) => {
      bar.start(total, 0, { running: running.join(', ') });
    },
    done: (_doing, _seconds, running) => {
      bar.increment({ running: running.join(', ') });
    },
    end: () => {
      bar.stop();
    },
  };
}
