import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterwards } from '../support/afterwards.ts';

const refillMilliseconds = 100;

/** An in-memory file system of a few megabytes, which a test can fill. */
export class SmallDisk {
  readonly folder: string;
  readonly unmount: () => void;

  /** @throws {Error} if this process may not mount one */
  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder], { stdio: 'ignore' });
    const unmount = afterwards(() => execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' }));
    this.unmount = () => void unmount();
  }

  /** The reason why this machine does not support it; undefined if it does. */
  static missing(): string | undefined {
    const folder = mkdtempSync(`${tmpdir()}/document-analysis-disk-`);
    try {
      new SmallDisk(folder, 1).unmount();
      return undefined;
    } catch {
      return 'this process may not mount a small file system; as root it may';
    } finally {
      rmdirSync(folder);
    }
  }

  /** Fills the file system for this long, including space that is freed meanwhile, and then frees it. */
  async keepFull(milliseconds: number): Promise<void> {
    const filler = `${this.folder}/filler`;
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      fill(filler);
      await sleep(refillMilliseconds);
    }
    rmSync(filler);
  }
}

/** Writes to a file until the file system is full. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of [65_536, 4096, 1])
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
