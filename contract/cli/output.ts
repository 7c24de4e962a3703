import Table from 'cli-table3';

/** A stream that the command line writes to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const noBorders = Object.fromEntries(borders.split(' ').map((border) => [border, '']));

/** Writes a text; rejects if the stream fails. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Escapes control and bidirectional characters, so that a text cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** "1 request", "2 requests". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Lays out rows in columns below their headings. */
export function table(head: string[], rows: (string | null)[][]): string {
  const layout = new Table({ head, chars: noBorders, style: { head: [], 'padding-left': 0, 'padding-right': 2 } });
  layout.push(...rows.map((row) => row.map((cell) => printable(cell ?? '-'))));
  return layout.toString().replace(/ +$/gm, '');
}
