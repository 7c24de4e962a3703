import Table from 'cli-table3';
import type { CliContext, Output } from './context.ts';

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const noBorders = Object.fromEntries(borders.split(' ').map((border) => [border, '']));

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
  context: Pick<CliContext, 'stdout'>,
  { json }: { json?: boolean },
  value: unknown,
  text: () => string,
): Promise<void> {
  return print(context.stdout, json ? `${jsonText(value, 2)}\n` : `${text()}\n`);
}

/** JSON that cannot steer the terminal: it leaves DEL and the C1 control characters as they are, and some terminals obey. */
function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\x7f-\x9f]/g, printable);
}

/** Lays out rows in columns below their headings. */
export function table(head: string[], rows: (string | null)[][]): string {
  const layout = new Table({ head, chars: noBorders, style: { head: [], 'padding-left': 0, 'padding-right': 2 } });
  layout.push(...rows.map((row) => row.map((cell) => printable(cell ?? '-'))));
  return layout
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A text that cannot steer the terminal: control and direction characters stand as escapes. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** "1 case", "2 cases". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
