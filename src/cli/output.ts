import type { CliContext, Output } from './context.ts';
import { printable } from './printable.ts';
import { table } from './table.ts';

/** Lays out rows in columns below their headings, in the width of the terminal. */
export type LayOut = (head: readonly string[], rows: readonly (readonly (string | null)[])[]) => string;

/** Writes a text; rejects if the stream fails. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Prints the result of a command, as one JSON document or as text. */
export function printResult(
  { stdout }: Pick<CliContext, 'stdout'>,
  { json }: { json?: boolean },
  value: unknown,
  text: (layOut: LayOut) => string,
): Promise<void> {
  if (json) return print(stdout, `${jsonText(value, 2)}\n`);
  // Programs that read from a pipe expect one line per row.
  const width = stdout.isTTY === true ? stdout.columns : undefined;
  return print(stdout, `${text((head, rows) => table(head, rows, width))}\n`);
}

/** Escapes DEL and C1 control characters too, which `JSON.stringify` does not escape and some terminals interpret. */
function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\x7f-\x9f]/g, printable);
}

/** "1 case", "2 cases". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
