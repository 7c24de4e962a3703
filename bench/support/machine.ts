import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** The machine and the program of a measurement. */
export interface Machine {
  readonly measuredAt: string;
  /** The current commit, with `+` if tracked files have changed; undefined outside of a checkout. */
  readonly commit: string | undefined;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
}

/** Describes this machine and the measured program. */
export function describeMachine(): Machine {
  return {
    measuredAt: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** The description in one line. */
export function machineLine({ measuredAt, commit, node, processor, cores, memoryGiB }: Machine): string {
  const when = `${measuredAt.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}`;
  return `${when}, Node.js ${node.slice(1)}, ${cores} cores of ${processor}, ${memoryGiB} GiB of memory.`;
}

function commit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return undefined;
  }
}
