import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const source = 'test/support/hanging-files.c';

/** A folder whose files hang in the programs that are started with its environment, as a network disk's do that is lost. */
export class HangingFiles {
  readonly environment: NodeJS.ProcessEnv;
  readonly #own = mkdtempSync(join(tmpdir(), 'document-analysis-hanging-'));
  readonly #switch = join(this.#own, 'hangs');

  constructor(folder: string) {
    const library = join(this.#own, 'hanging-files.so');
    compile(library);
    this.environment = { LD_PRELOAD: library, HANGING_FOLDER: folder, HANGING_SWITCH: this.#switch };
  }

  /** Whether there can be any here: it takes a C compiler and the loader of Linux. */
  static possible(): boolean {
    if (process.platform !== 'linux') return false;
    try {
      compile('/dev/null');
      return true;
    } catch {
      return false;
    }
  }

  hang(): void {
    writeFileSync(this.#switch, '');
  }

  recover(): void {
    rmSync(this.#switch, { force: true });
  }

  remove(): void {
    rmSync(this.#own, { recursive: true });
  }
}

function compile(library: string): void {
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'ignore' });
}
