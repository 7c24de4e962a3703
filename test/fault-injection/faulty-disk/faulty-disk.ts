import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const modes = { sound: 0, faulty: 1, 'power-cut': 2 } as const;
const counters = [
  'writes failed (EIO)',
  'writes failed (ENOSPC)',
  'writes torn',
  'syncs of the `-wal` file failed',
  'syncs of the database file failed',
  'truncations failed',
  'unsynced writes lost',
] as const;
const bytesOfNumber = 4;
/** The fields before the counters: the mode, and the number of program starts. */
const numbersBefore = 2;

/** A failing disk for one SQLite database: faulty-disk.c, compiled for this machine. */
export class FaultyDisk {
  /** The environment variables of a server with this disk. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #control: number;

  /** The reason why this machine does not support it; undefined if it does. */
  static missing(): string | undefined {
    if (process.platform !== 'linux') return 'functions of the C library can be replaced on Linux only';
    try {
      execFileSync('cc', ['--version'], { stdio: 'ignore' });
      return undefined;
    } catch {
      return 'there is no C compiler (cc)';
    }
  }

  constructor(folder: string, database: string, seed: number) {
    const library = join(folder, 'faulty-disk.so');
    const control = join(folder, 'faulty-disk.control');
    const source = join(import.meta.dirname, 'faulty-disk.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
    this.#control = openSync(control, 'w+');
    writeSync(this.#control, Buffer.alloc(bytesOfNumber * (numbersBefore + counters.length)));
    this.environment = {
      LD_PRELOAD: library,
      FAULTY_DISK_CONTROL: control,
      FAULTY_DISK_DATABASE: database,
      FAULTY_DISK_SEED: String(seed),
    };
  }

  /** Sets the mode. A power cut kills the server that uses the disk. */
  become(mode: keyof typeof modes): void {
    writeSync(this.#control, Uint32Array.of(modes[mode]), 0, bytesOfNumber, 0);
  }

  counts(): Record<string, number> {
    const numbers = new Uint32Array(counters.length);
    readSync(this.#control, numbers, 0, numbers.byteLength, bytesOfNumber * numbersBefore);
    return Object.fromEntries(counters.map((name, index) => [name, numbers[index] ?? 0]));
  }

  close(): void {
    closeSync(this.#control);
  }
}
