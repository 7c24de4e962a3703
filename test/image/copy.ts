import { existsSync } from 'node:fs';
import { cp, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Image } from './image.ts';
import type { Step } from './dockerfile.ts';
import { runIn } from './run.ts';

/** Carries out COPY from a folder: the context, or the root folder of another stage. */
export async function copyInto(image: Image, step: Step, source: string | undefined): Promise<void> {
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
  const { chown } = step.flags;
  if (chown !== undefined) await runIn(image, ['chown', '-R', chown, resolve(image.workdir, place)]);
}
