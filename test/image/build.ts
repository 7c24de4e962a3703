/** Builds an image from a Dockerfile without an engine: each instruction of each stage is carried out in a root folder. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, basename, resolve } from 'node:path';
import { afterwards } from '../support/afterwards.ts';
import { copyContext } from './context.ts';
import { makeRootFolder, removeRootFolders, start } from './root-folder.ts';
import { type Step, execForm, healthCommand, readDockerfile, type Stage } from './dockerfile.ts';

/** What an image consists of. */
export interface Image {
  readonly root: string;
  readonly env: Record<string, string>;
  workdir: string;
  user: string;
  entrypoint: string[];
  cmd: string[];
  health: string[];
  readonly volumes: string[];
}

/** What an engine, too, hands from its own environment to RUN: proxies and their certificates. */
const handedOn = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Runs a build command in the image, with the npm settings and cache of whoever builds. */
async function runIn(image: Image, command: string[]): Promise<void> {
  const passed = Object.entries(process.env).filter(([name]) => handedOn.test(name)) as [string, string][];
  const env = { ...Object.fromEntries(passed), ...image.env };
  const mounts = image.user === 'root' ? await npmMounts(image.root) : {};
  const { code, output } = await start({ ...image, env, mounts }, command).ended;
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

/** Copies from a folder: the context, or the root folder of another stage. */
async function copyInto(image: Image, step: Step, folderOf: FolderOf): Promise<void> {
  const { from, chown } = step.flags;
  const source = folderOf(from);
  if (source === undefined) throw new Error(`No such stage: ${step.text}`);
  const names = step.words.slice(0, -1);
  const place = step.words.at(-1) ?? '';
  const target = join(image.root, resolve(image.workdir, place));
  if (names.length > 1 && !place.endsWith('/')) throw new Error(`The target must end with a slash: ${step.text}`);
  for (const name of names) {
    const entry = join(source, name);
    if (!existsSync(entry)) throw new Error(`${name} does not exist: ${step.text}`);
    // The content of a folder is copied, not the folder.
    const intoFolder = place.endsWith('/') && (await stat(entry)).isFile();
    const into = intoFolder ? join(target, basename(name)) : target;
    await cp(entry, into, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  if (chown !== undefined) await runIn(image, ['chown', '-R', chown, resolve(image.workdir, place)]);
}

function setVariables(image: Image, { words, text }: Step): void {
  for (const word of words) {
    const [, name, value] = /^(\w+)=([^"'\\]*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Unknown form of ENV: ${text}`);
    image.env[name] = value;
  }
}

async function enterFolder(image: Image, { content }: Step): Promise<void> {
  image.workdir = resolve(image.workdir, content);
  await mkdir(join(image.root, image.workdir), { recursive: true });
}

/** Gives the root folder of a stage so far, or the context. */
type FolderOf = (stage?: string) => string | undefined;

/** What each known instruction does to the image, and the flags that it may have. */
const instructions: Readonly<
  Record<string, readonly [carryOut: (image: Image, step: Step, folderOf: FolderOf) => unknown, ...flags: string[]]>
> = {
  CMD: [(image, step) => (image.cmd = execForm(step))],
  COPY: [copyInto, 'chown', 'from'],
  ENTRYPOINT: [(image, step) => (image.entrypoint = execForm(step))],
  ENV: [setVariables],
  // The network is the machine's.
  EXPOSE: [() => undefined],
  HEALTHCHECK: [
    (image, step) => (image.health = healthCommand(step)),
    ...['interval', 'retries', 'start-period', 'timeout'],
  ],
  RUN: [(image, { content }) => runIn(image, ['/bin/sh', '-c', content])],
  USER: [(image, { content }) => (image.user = content)],
  VOLUME: [(image, { words }) => image.volumes.push(...words)],
  WORKDIR: [enterFolder],
};

/** The flags of an instruction that the build knows. */
export const flagsOf = (keyword: string) => instructions[keyword]?.slice(1) as string[] | undefined;

/** Tells people what happens. */
const say = (text: string) => process.stderr.write(`${text}\n`);

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Builds all stages of a Dockerfile in order in a new folder, which is removed at last. Gives the last, and the folder. */
export async function buildImage(dockerfile: string): Promise<{ image: Image; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-image-'));
  afterwards(() => {
    removeRootFolders(folder);
  });
  const context = join(folder, 'context');
  await copyContext('.', context);
  const images = new Map<string, Image>();
  const folderOf = (stage?: string) => (stage === undefined ? context : images.get(stage)?.root);
  let image: Image | undefined;
  for (const [index, stage] of readDockerfile(await readFile(dockerfile, 'utf8'), flagsOf).entries()) {
    say(`FROM ${stage.image}${stage.name === undefined ? '' : ` AS ${stage.name}`}`);
    image = await startStage(stage, join(folder, String(index)), images);
    for (const step of stage.steps) {
      say(step.text);
      await instructions[step.keyword]?.[0](image, step, folderOf);
    }
    images.set(stage.name ?? String(index), image);
  }
  if (image === undefined) throw new Error('The Dockerfile has no stage.');
  return { image, folder };
}

async function startStage(stage: Stage, root: string, images: Map<string, Image>): Promise<Image> {
  const parent = images.get(stage.image);
  if (parent === undefined) {
    const major = /^node:(\d+)\./.exec(stage.image)?.[1];
    if (major !== process.versions.node.split('.')[0])
      throw new Error(`${stage.image} cannot be replaced by Node.js ${process.version}`);
    await makeRootFolder(root);
    const lists = { entrypoint: [], cmd: [], health: [], volumes: [] };
    return { root, env: { PATH: path }, workdir: '/', user: 'root', ...lists };
  }
  await cp(parent.root, root, { recursive: true, verbatimSymlinks: true });
  return { ...structuredClone(parent), root };
}
