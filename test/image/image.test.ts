/**
 * The image as `docker build` would make it, without an engine: the context that `.dockerignore` leaves, the steps of the
 * Dockerfile in order, then the program as its user on a read-only root folder. Only the base image is not the real one:
 * this Node.js and the system's libraries take its place. Needs Linux and root, or newuidmap: `npm test -- image`.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { freePort } from '../../scripts/free-port.ts';
import { buildImage } from './build.ts';
import { start } from './root-folder.ts';

const { image, folder } = await buildImage('Dockerfile');
const mounts = Object.fromEntries(image.volumes.map((place) => [place, join(folder, 'volumes', place)]));
await mkdir(join(folder, 'volumes'));
for (const place of image.volumes)
  execFileSync('cp', ['--archive', '--parents', place.slice(1), join(folder, 'volumes')], { cwd: image.root });
// The network is the machine's, so the ports are free ones of it.
const [port, opsPort] = [String(await freePort()), String(await freePort())];
const env: Record<string, string> = { ...image.env, HOST: '127.0.0.1', PORT: port, OPS_PORT: opsPort };

/** A command of the container as it is run: as its user, with a read-only root folder. */
function inContainer(command: readonly string[]) {
  return start({ ...image, env, mounts, readOnly: true }, command);
}

describe('the image', () => {
  test('lets its user, who is not root, write to its volume alone', async () => {
    const script =
      'id -u; touch /data/mine && rm /data/mine && echo data; touch /app/mine || echo app; touch /mine || echo root';
    const { output } = await inContainer(['sh', '-c', script]).ended;
    expect(output.replaceAll(/^touch:.*\n/gm, '')).toBe('1000\ndata\napp\nroot\n');
  });

  test('has the packages of the program, and none that a workspace alone needs', async () => {
    const packages = await readdir(join(image.root, 'app/node_modules'));
    expect(packages).toContain('better-sqlite3');
    expect(packages).not.toContain('openapi-fetch');
  });

  test('has compiled code for its user', async () => {
    const traced = { ...image, env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, mounts, readOnly: true };
    const { output } = await start(traced, [...image.entrypoint, '--version']).ended;
    expect(/code cache .* was accepted/.test(output)).toBe(true);
  });

  test('serves, is healthy, and ends at SIGTERM with exit code 0', async () => {
    const demo = await inContainer([...image.entrypoint, 'demo', '--json']).ended;
    expect(demo).toMatchObject({ code: 0 });
    const { owner_key: key } = JSON.parse(demo.output) as { owner_key: string };
    const { child, ended } = inContainer([...image.entrypoint, ...image.cmd]);
    await Promise.race([
      healthy(),
      ended.then(({ output }) => {
        throw new Error(output);
      }),
    ]);
    const address = `http://127.0.0.1:${port}/organisations/features/verification`;
    expect((await fetch(address)).status).toBe(401);
    const response = await fetch(address, { headers: { 'x-api-key': key } });
    expect([response.status, await response.json()]).toEqual([200, { enabled: expect.any(Boolean) }]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect((await inContainer(image.health).ended).code).toBe(1);
  });
});

/** Runs the HEALTHCHECK until it succeeds. */
async function healthy(): Promise<void> {
  while ((await inContainer(image.health).ended).code !== 0) await new Promise((resolve) => setTimeout(resolve, 500));
}
