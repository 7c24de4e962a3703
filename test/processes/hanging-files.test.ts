import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newThumbnailName } from '../../src/files/thumbnail-name.ts';
import { type ProgramProcess, serving, startProgram, stop, told, withDataDir, withServer } from '../support/process.ts';
import { until } from '../support/until.ts';

const compile = (library: string) =>
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, 'test/support/hanging-files.c', '-ldl'], { stdio: 'ignore' });

/** A folder whose files hang in the programs that are started with its environment, as a network disk's do that is lost. */
class HangingFiles {
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

/** Starts a server with a thumbnail, does the work while its files hang, and ends the server. */
async function whileHanging(
  work: (program: ProgramProcess, thumbnail: string, files: HangingFiles) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    const folder = join(dataDir, 'document-analysis-uk-files', 'thumbnails');
    const name = newThumbnailName();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), 'thumbnail');
    const files = new HangingFiles(join(dataDir, 'document-analysis-uk-files'));
    const environment = { ...files.environment, NODE_ENV: 'production', LOG_LEVEL: 'info', OPS_PORT: '0' };
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], environment);
    try {
      const thumbnail = `${await serving(program)}/thumbnails/${name}`;
      expect((await fetch(thumbnail)).status).toBe(200);
      files.hang();
      await work(program, thumbnail, files);
    } finally {
      program.child.kill('SIGKILL');
      await program.ended;
      files.remove();
    }
  });
}

const statuses = async (url: string) =>
  (await Promise.all(Array.from({ length: 6 }, () => fetch(url)))).map(({ status }) => status);

(HangingFiles.possible() ? describe : describe.skip)('while the folder of files hangs', () => {
  test('thumbnails get 503, readiness tells, and both recover with it', async () => {
    await whileHanging(async (program, thumbnail, files) => {
      const ops = await told(program, /Probes and metrics on (\S+)\n/);
      const readiness = async () => (await fetch(`${ops}/readyz`)).json();
      expect(await statuses(thumbnail)).toEqual(Array.from({ length: 6 }).fill(503));
      expect(await readiness()).toEqual({ status: 'ready', degraded: ['files'] });
      // The log is written by the threads that are left.
      await until('the log says it', () => program.stderr().includes('the files do not respond'));
      files.recover();
      await until('the thumbnail is served again', async () => (await fetch(thumbnail)).status === 200);
      expect(await readiness()).toEqual({ status: 'ready' });
      await stop(program);
    });
  });

  test('a stop ends within 20 s all the same, and the log says what hung', async () => {
    await whileHanging(async (program, thumbnail) => {
      expect(await statuses(thumbnail)).toContain(503);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe('SIGKILL');
      // By the server's own clock: on a loaded machine, that of the test says more.
      expect(program.stderr()).toMatch(/"waitingFor":\[[^\]]*"FSReq.*not ended within 20000 ms: killed/);
    });
  });
});

test('a reader of the log that stops does not stop the service', async () => {
  await withServer({ environment: { LOG_LEVEL: 'info' } }, async ({ url, ...program }) => {
    program.child.stderr?.pause();
    const get = () => fetch(url, { signal: AbortSignal.timeout(100_000) });
    for (let round = 0; round < 40; round += 1)
      for (const { status } of await Promise.all(Array.from({ length: 50 }, get))) expect(status).toBe(404);
    program.child.stderr?.resume();
    const logged = () => program.stderr().match(/request completed/g)?.length ?? 0;
    await until(
      () => `the log has a line for each of 2000 requests, and has ${logged()}`,
      () => logged() >= 2000,
    );
    await stop(program);
    expect(logged()).toBe(2000);
  });
});
