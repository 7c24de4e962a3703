/** What the last build read and wrote, by which the next one knows that there is nothing to do. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestOf } from './digest.ts';
import { inputs, installed, outputs } from './steps.ts';

const file = 'node_modules/.cache/document-analysis/build.json';

interface BuildRecord {
  readonly inputs: string;
  readonly outputs: string;
}

/** A digest of all that a build depends on, the version of Node.js included. */
export function digestOfInputs(): string {
  return `${process.version} ${digestOf(inputs, ['node_modules', 'dist'])} ${digestOf(installed)}`;
}

/** Whether the last build read these inputs and what it wrote is still there, unchanged. */
export function isBuilt(inputsNow: string): boolean {
  const last = readRecord();
  return last?.inputs === inputsNow && last.outputs === digestOf(outputs);
}

/** Notes a build of inputs that were read before it began, so that a change meanwhile leads to another build. */
export function noteBuild(inputsBefore: string): void {
  const record: BuildRecord = { inputs: inputsBefore, outputs: digestOf(outputs) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(record));
}

/** Forgets the last build: the next one builds, however this one ends. */
export function forgetBuild(): void {
  rmSync(file, { force: true });
}

function readRecord(): BuildRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BuildRecord;
  } catch {
    return undefined;
  }
}
