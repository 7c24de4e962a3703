import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newThumbnailName } from '../../src/files/thumbnail-name.ts';
import { serving, startProgram, startServer, stop } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const library = join(await makeTemporaryFolder(), 'hanging-files.so');
const compiling = ['-shared', '-fPIC', '-o', library, 'test/support/hanging-files.c', '-ldl'];
/** Whether files can be made to hang here: it takes a C compiler and the loader of Linux. */
const canHang = process.platform === 'linux' && spawnSync('cc', compiling).status === 0;

/** test/resilience/hanging-files.test.ts has what is served meanwhile. */
(canHang ? test : test.skip)(
  'a stop ends within 20 s though the folder of files hangs, as a network disk that is lost, and the log says what hung',
  async () => {
    const dataDir = await makeTemporaryFolder();
    const files = join(dataDir, 'document-analysis-uk-files');
    const [name, hangs] = [newThumbnailName(), join(dataDir, 'hangs')];
    mkdirSync(join(files, 'thumbnails'), { recursive: true });
    writeFileSync(join(files, 'thumbnails', name), 'thumbnail');
    const hanging = { LD_PRELOAD: library, HANGING_FOLDER: files, HANGING_SWITCH: hangs };
    const environment = { ...hanging, NODE_ENV: 'production', LOG_LEVEL: 'info' };
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], environment);
    const thumbnail = `${await serving(program)}/thumbnails/${name}`;
    expect((await fetch(thumbnail)).status).toBe(200);
    writeFileSync(hangs, '');
    const responses = await Promise.all(Array.from({ length: 6 }, () => fetch(thumbnail)));
    expect(responses.map(({ status }) => status)).toContain(503);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe('SIGKILL');
    // By the server's own clock: on a loaded machine, that of the test says more.
    expect(program.stderr()).toMatch(/"waitingFor":\[[^\]]*"FSReq.*not ended within 20000 ms: killed/);
  },
);

test('a reader of the log that stops does not stop the service', async () => {
  const { url, ...program } = await startServer({ environment: { LOG_LEVEL: 'info' } });
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
