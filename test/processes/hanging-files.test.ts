import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newThumbnailName } from '../../src/files/thumbnail-name.ts';
import { HangingFiles } from '../support/hanging-files.ts';
import { type ProgramProcess, serving, startProgram, told, withDataDir } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Starts a server with a thumbnail, does the work while its files hang, and ends the server. */
async function whileHanging(
  options: string[],
  work: (program: ProgramProcess, thumbnail: string, files: HangingFiles) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    const folder = join(dataDir, 'document-analysis-uk-files', 'thumbnails');
    const name = newThumbnailName();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), 'thumbnail');
    const files = new HangingFiles(join(dataDir, 'document-analysis-uk-files'));
    const environment = { ...files.environment, NODE_ENV: 'production', LOG_LEVEL: 'info', OPS_PORT: '0' };
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir, ...options], environment);
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

/** Sends SIGTERM, and gives how the process ended. */
function terminate({ child, ended }: ProgramProcess): Promise<number | string> {
  child.kill('SIGTERM');
  return ended;
}

(HangingFiles.possible() ? describe : describe.skip)('while the folder of files hangs', () => {
  test('thumbnails get 503, readiness tells, and both recover with it', async () => {
    await whileHanging([], async (program, thumbnail, files) => {
      const ops = await told(program, /Probes and metrics on (\S+)\n/);
      const readiness = async () => (await fetch(`${ops}/readyz`)).json();
      expect(await statuses(thumbnail)).toEqual(Array.from({ length: 6 }).fill(503));
      expect(await readiness()).toEqual({ status: 'ready', degraded: ['files'] });
      // The log is written by the threads that are left.
      await until('the log says it', () => program.stderr().includes('the files do not respond'));
      files.recover();
      await until('the thumbnail is served again', async () => (await fetch(thumbnail)).status === 200);
      expect(await readiness()).toEqual({ status: 'ready' });
      expect(await terminate(program)).toBe(0);
    });
  });

  test('a stop ends within 20 s all the same, with workers too, and the log says what hung', async () => {
    const stop = (options: string[], expected: { how: number | string; log: RegExp }) =>
      whileHanging(options, async (program, thumbnail) => {
        expect(await statuses(thumbnail)).toContain(503);
        expect(await terminate(program)).toBe(expected.how);
        // By the server's own clock: on a loaded machine, that of the test says more.
        expect(program.stderr()).toMatch(expected.log);
      });
    await Promise.all([
      stop([], { how: 'SIGKILL', log: /"waitingFor":\[[^\]]*"FSReq.*not ended within 20000 ms: killed/ }),
      stop(['--workers', '2'], { how: 0, log: /"FSReq.*not ended within 16000 ms: killed/ }),
    ]);
  });
});

test('a reader of the log that stops does not stop the service', async () => {
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], {
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
    });
    const url = await serving(program);
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
    program.child.kill('SIGTERM');
    expect([await program.ended, logged()]).toEqual([0, 2000]);
  });
});
