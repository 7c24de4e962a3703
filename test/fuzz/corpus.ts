import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const corpora = join(import.meta.dirname, 'corpus');

/** The inputs that are kept for a target, the smallest first. */
export async function readCorpus(target: string): Promise<Buffer[]> {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const inputs = lines.map((line) => Buffer.from(JSON.parse(line) as string, 'latin1'));
  return inputs.sort((a, b) => a.length - b.length || Buffer.compare(a, b));
}

/** Keeps these inputs, and no others, for a target. */
export async function writeCorpus(target: string, inputs: readonly Uint8Array[]): Promise<void> {
  await mkdir(corpora, { recursive: true });
  await writeFile(fileOf(target), inputs.map(lineOf).join(''));
}

/** An input as a line of a corpus: a JSON string of its bytes, each as the character of its number. */
export function lineOf(input: Uint8Array): string {
  return `${JSON.stringify(Buffer.from(input).toString('latin1'))}\n`;
}

/** A short name of an input, by its content. */
export function nameOf(input: Uint8Array): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 16);
}

function fileOf(target: string): string {
  return join(corpora, `${target}.jsonl`);
}
