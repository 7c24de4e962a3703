import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const corpora = join(import.meta.dirname, 'corpus');

/** The inputs that are kept for a target, the smallest first. */
export async function readCorpus(target: string): Promise<Buffer[]> {
  const folder = join(corpora, target);
  if (!existsSync(folder)) return [];
  const inputs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  return inputs.sort((a, b) => a.length - b.length || Buffer.compare(a, b));
}

/** Keeps these inputs, and no others, for a target. */
export async function writeCorpus(target: string, inputs: readonly Uint8Array[]): Promise<void> {
  const folder = join(corpora, target);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const input of inputs) await writeFile(join(folder, nameOf(input)), input);
}

/** The name of an input's file, by its content. */
export function nameOf(input: Uint8Array): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 16);
}
