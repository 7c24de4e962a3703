import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes files whose text has changed, and returns their names. */
export function writeIfChanged(files: Readonly<Record<string, string>>): string[] {
  const changed = Object.entries(files).filter(
    ([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
  );
  for (const [file, text] of changed) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return changed.map(([file]) => file);
}

/** The name of an operation's files: its operationId, which is in camel case, in kebab case. */
export function fileNameOf(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
