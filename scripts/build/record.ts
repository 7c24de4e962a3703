/** Records what the last build read and wrote, so that the next one can detect that nothing has changed. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestOf, inputs, installed, outputs } from './steps.ts';

const file = 'node_modules/.cache/document-analysis/build.json';

interface BuildRecord {
  readonly inputs: string;
  readonly outputs: string;
}

/** A digest of everything that a build depends on, including the version of Node.js. */
export function digestOfInputs(): string {
  return `${process.version} ${digestOf(inputs, ['node_modules', 'dist'])} ${digestOf(installed)}`;
}

/** Whether the last build read these inputs and its outputs are unchanged. */
export function isBuilt(inputsNow: string): boolean {
  const last = readRecord();
  return last?.inputs === inputsNow && last.outputs === digestOf(outputs);
}

/** Records a build by the inputs as they were before it, so that a change during the build causes another build. */
export function noteBuild(inputsBefore: string): void {
  const record: BuildRecord = { inputs: inputsBefore, outputs: digestOf(outputs) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(record));
}

/** Forgets the last build, so that the next one builds even if this one fails. */
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
