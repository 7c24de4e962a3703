/** Builds an image from a Dockerfile without an engine: each instruction of each stage is carried out in a root folder. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { execForm, healthCommand, type Stage, type Step } from './dockerfile.ts';
import { makeRootFolder, start } from './root-folder.ts';

/** What an image consists of. */
export interface Image {
  readonly root: string;
  readonly env: Record<string, string>;
  workdir: string;
  user: string;
  entrypoint: string[];
  cmd: string[];
  health: string[];
  readonly ports: number[];
  readonly volumes: string[];
}

/** Where the images are made. */
export interface Build {
  readonly folder: string;
  readonly context: string;
  readonly say: (text: string) => void;
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** What an engine, too, hands from its own environment to RUN: proxies and their certificates. */
const handedOn = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Builds all stages in order and returns the last. */
export async function buildImage(stages: Stage[], build: Build): Promise<Image> {
  const images = new Map<string, Image>();
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    build.say(`FROM ${stage.image}${stage.name === undefined ? '' : ` AS ${stage.name}`}`);
    image = await startStage(stage, join(build.folder, String(index)), images);
    for (const step of stage.steps) {
      build.say(step.text);
      await apply(step, image, images, build);
    }
    images.set(stage.name ?? String(index), image);
  }
  if (image === undefined) throw new Error('The Dockerfile has no stage.');
  return image;
}

async function startStage(stage: Stage, root: string, images: Map<string, Image>): Promise<Image> {
  const parent = images.get(stage.image);
  if (parent === undefined) {
    const major = /^node:(\d+)\./.exec(stage.image)?.[1];
    if (major !== process.versions.node.split('.')[0])
      throw new Error(`${stage.image} cannot be replaced by Node.js ${process.version}`);
    await makeRootFolder(root);
    return { root, env: { PATH: path }, workdir: '/', user: 'root', entrypoint: [], cmd: [], health: [], ports: [], volumes: [] };
  }
  await cp(parent.root, root, { recursive: true, verbatimSymlinks: true });
  return { ...structuredClone(parent), root };
}

async function apply(step: Step, image: Image, images: Map<string, Image>, build: Build): Promise<void> {
  switch (step.keyword) {
    case 'WORKDIR':
      image.workdir = resolve(image.workdir, step.content);
      await mkdir(join(image.root, image.workdir), { recursive: true });
      return;
    case 'ENV':
      for (const word of step.words) {
        const [, name, value] = /^(\w+)=([^"'\\]*)$/.exec(word) ?? [];
        if (name === undefined || value === undefined) throw new Error(`Unknown form of ENV: ${step.text}`);
        image.env[name] = value;
      }
      return;
    case 'COPY':
      return copy(step, image, images, build);
    case 'RUN':
      return run(image, ['/bin/sh', '-c', step.content]);
    case 'USER':
      image.user = step.content;
      return;
    case 'EXPOSE':
      image.ports.push(...step.words.map(Number));
      return;
    case 'VOLUME':
      image.volumes.push(...step.words);
      return;
    case 'HEALTHCHECK':
      image.health = healthCommand(step);
      return;
    case 'ENTRYPOINT':
      image.entrypoint = execForm(step);
      return;
    case 'CMD':
      image.cmd = execForm(step);
      return;
    default:
      throw new Error(`Not interpreted: ${step.text}`);
  }
}

async function copy(step: Step, image: Image, images: Map<string, Image>, build: Build): Promise<void> {
  const { from, chown } = step.flags;
  const source = from === undefined ? build.context : images.get(from)?.root;
  if (source === undefined) throw new Error(`No such stage: ${step.text}`);
  const names = step.words.slice(0, -1);
  const place = step.words.at(-1) ?? '';
  const target = join(image.root, resolve(image.workdir, place));
  for (const name of names) {
    const entry = join(source, name);
    if (!existsSync(entry)) throw new Error(`${name} does not exist in ${from ?? 'the context'}: ${step.text}`);
    const isFolder = (await stat(entry)).isDirectory();
    if (names.length > 1 && !place.endsWith('/')) throw new Error(`The target must end with a slash: ${step.text}`);
    // The content of a folder is copied, not the folder.
    const into = !isFolder && place.endsWith('/') ? join(target, basename(name)) : target;
    await cp(entry, into, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  if (chown !== undefined) await run(image, ['chown', '-R', chown, resolve(image.workdir, place)]);
}

/** Runs a build command in the image, with the npm settings and cache of whoever builds. */
async function run(image: Image, command: string[]): Promise<void> {
  const npm = { '/root/.npm': process.env['npm_config_cache'], '/root/.npmrc': process.env['npm_config_userconfig'] };
  const mounts: Record<string, string> = {};
  if (image.user === 'root')
    for (const [place, source] of Object.entries(npm)) {
      if (source === undefined || !existsSync(source)) continue;
      if ((await stat(source)).isDirectory()) await mkdir(join(image.root, place), { recursive: true });
      else await writeFile(join(image.root, place), '');
      mounts[place] = source;
    }
  const passed = Object.entries(process.env).filter(([name]) => handedOn.test(name)) as [string, string][];
  const child = start({ ...image, env: { ...Object.fromEntries(passed), ...image.env }, mounts }, command, [
    'ignore',
    'pipe',
    'pipe',
  ]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command.at(-1) ?? ''} ended with ${String(code)}:\n${output}`);
}

/** The bytes of a folder's files. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
