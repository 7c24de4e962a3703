import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterwards } from '../../support/afterwards.ts';
import type { ScenarioContext, ScenarioResult } from '../scenario.ts';
import { databasePathIn } from '../engines.ts';

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

/** The reason why this machine does not support it; undefined if it does. */
export function faultyDiskMissing(): string | undefined {
  if (process.platform !== 'linux') return 'functions of the C library can be replaced on Linux only';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no C compiler (cc)';
  }
}

interface FaultyDisk {
  /** The options of a server with this disk. */
  readonly serverOptions: { readonly environment: NodeJS.ProcessEnv; readonly preload: readonly string[] };
  /** Sets the mode. A power cut kills the server that uses the disk. */
  readonly become: (mode: keyof typeof modes) => void;
}

/** Has a failing disk for the database in a scenario's folder, faulty-disk.c compiled for this machine, and adds its figures. */
export async function withFaultyDisk(
  { folder, random }: ScenarioContext,
  work: (disk: FaultyDisk) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  const library = join(folder, 'faulty-disk.so');
  const controlFile = join(folder, 'faulty-disk.control');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'faulty-disk.c'), '-ldl']);
  const control = openSync(controlFile, 'w+');
  afterwards(() => {
    closeSync(control);
  });
  writeSync(control, Buffer.alloc(bytesOfNumber * (numbersBefore + counters.length)));
  const environment = {
    LD_PRELOAD: library,
    FAULTY_DISK_CONTROL: controlFile,
    FAULTY_DISK_DATABASE: databasePathIn(folder),
    FAULTY_DISK_SEED: String(Math.floor(random() * 2 ** 31)),
  };
  const { figures, problems } = await work({
    serverOptions: { environment, preload: ['./test/fault-injection/faulty-disk/frequent-checkpoints.ts'] },
    become: (mode) => writeSync(control, Uint32Array.of(modes[mode]), 0, bytesOfNumber, 0),
  });
  const numbers = new Uint32Array(counters.length);
  readSync(control, numbers, 0, numbers.byteLength, bytesOfNumber * numbersBefore);
  const more = Object.fromEntries(counters.map((name, index) => [name, numbers[index] ?? 0]));
  return { figures: { ...figures, more }, problems };
}
