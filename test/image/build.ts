/** Builds an image from a Dockerfile without an engine: each instruction of each stage is carried out in a root folder. */
import { cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyInto } from './copy.ts';
import { execForm, healthCommand, type Stage, type Step } from './dockerfile.ts';
import type { Image } from './image.ts';
import { makeRootFolder } from './root-folder.ts';
import { runIn } from './run.ts';

/** Where the images are made. */
export interface Build {
  readonly folder: string;
  readonly context: string;
  readonly say: (text: string) => void;
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

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
    return {
      root,
      env: { PATH: path },
      workdir: '/',
      user: 'root',
      entrypoint: [],
      cmd: [],
      health: [],
      ports: [],
      volumes: [],
    };
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
      return copyInto(
        image,
        step,
        step.flags['from'] === undefined ? build.context : images.get(step.flags['from'])?.root,
      );
    case 'RUN':
      return runIn(image, ['/bin/sh', '-c', step.content]);
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
