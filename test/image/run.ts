import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Image } from './image.ts';
import { start } from './root-folder.ts';

/** What an engine, too, hands from its own environment to RUN: proxies and their certificates. */
const handedOn = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Runs a build command in the image, with the npm settings and cache of whoever builds. */
export async function runIn(image: Image, command: string[]): Promise<void> {
  const passed = Object.entries(process.env).filter(([name]) => handedOn.test(name)) as [string, string][];
  const env = { ...Object.fromEntries(passed), ...image.env };
  const mounts = image.user === 'root' ? await npmMounts(image.root) : {};
  const child = start({ ...image, env, mounts }, command, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command.at(-1) ?? ''} ended with ${String(code)}:\n${output}`);
}

async function npmMounts(root: string): Promise<Record<string, string>> {
  const mounts: Record<string, string> = {};
  const places = { '/root/.npm': 'npm_config_cache', '/root/.npmrc': 'npm_config_userconfig' };
  for (const [place, variable] of Object.entries(places)) {
    const source = process.env[variable];
    if (source === undefined || !existsSync(source)) continue;
    if ((await stat(source)).isDirectory()) await mkdir(join(root, place), { recursive: true });
    else await writeFile(join(root, place), '');
    mounts[place] = source;
  }
  return mounts;
}
