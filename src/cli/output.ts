import type { CliContext, Output } from './context.ts';
import { printable } from './printable.ts';
import { table } from './table.ts';

/** Lays out rows in columns below their headings, for the terminal that they are printed on. */
export type LayOut = (head: readonly string[], rows: readonly (readonly (string | null)[])[]) => string;

/** Writes a text; it rejects if the stream does not take it. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Prints what a command found or did: for machines as one JSON document, else as text for people. */
export function printResult(
  { stdout }: Pick<CliContext, 'stdout'>,
  { json }: { json?: boolean },
  value: unknown,
  text: (layOut: LayOut) => string,
): Promise<void> {
  if (json) return print(stdout, `${jsonText(value, 2)}\n`);
  // What reads from a pipe takes each row as one line.
  const width = stdout.isTTY === true ? stdout.columns : undefined;
  return print(stdout, `${text((head, rows) => table(head, rows, width))}\n`);
}

/** JSON that cannot steer the terminal: it leaves DEL and the C1 control characters as they are, and some terminals obey. */
function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\x7f-\x9f]/g, printable);
}

/** "1 case", "2 cases". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
