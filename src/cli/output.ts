import { promisify } from 'node:util';
import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { CliContext, Output } from './context.ts';
import { printable } from './errors.ts';

type Cell = string | number | boolean | null | readonly string[];

type FieldOf<Row> = { [Field in keyof Row]: Row[Field] extends Cell ? Field : never }[keyof Row] & string;

/** A column of a table: a field of the rows, under a heading that follows from its name or another, or made from a row. */
export type Column<Row> = FieldOf<Row> | readonly [heading: string, cell: FieldOf<Row> | ((row: Row) => Cell)];

/** Lays out rows in columns below their headings, in the width of the terminal. */
export type LayOut = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]) => string;

export function print(output: Output, text: string): Promise<void> {
  return promisify<string, BufferEncoding>(output.write.bind(output))(text, 'utf8');
}

export function printResult(
  { stdout }: Pick<CliContext, 'stdout'>,
  { json }: { json?: boolean },
  value: unknown,
  text: (layOut: LayOut) => string,
): Promise<void> {
  // Escapes DEL and C1 control characters too, which `JSON.stringify` does not escape and some terminals interpret.
  if (json) return print(stdout, `${JSON.stringify(value, null, 2).replace(/[\x7f-\x9f]/g, printable)}\n`);
  // Programs that read from a pipe expect one line per row.
  const width = stdout.isTTY === true ? stdout.columns : undefined;
  const layOut: LayOut = (rows, columns) => {
    const named = columns.map((column) =>
      typeof column === 'string' ? ([headingOf(column), column] as const) : column,
    );
    const lines = rows.map((row) =>
      named.map(([, cell]) => textOf(typeof cell === 'function' ? cell(row) : (row[cell] as Cell))),
    );
    const headings = named.map(([heading]) => heading);
    return table(headings, lines, width);
  };
  return print(stdout, `${text(layOut)}\n`);
}

function textOf(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return (Array.isArray(cell) ? cell.join(', ') : String(cell ?? '')) || '-';
}

/** As in `LAST USED` for `last_used_at`, and `CASE` for `case_id`. */
function headingOf(field: string): string {
  return field
    .replace(/_(at|id)$/, '')
    .replaceAll('_', ' ')
    .toUpperCase();
}

/** Lays out the fields of one thing below each other. */
export function fieldsOf(layOut: LayOut, fields: Readonly<Record<string, Cell>>): string {
  const rows = Object.entries(fields).map(([field, value]) => ({ field, value }));
  return layOut(rows, ['field', 'value']);
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

type Row = readonly string[];

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const noBorders = Object.fromEntries(borders.split(' ').map((border) => [border, '']));
const gap = 2;
const narrowest = 20;

/**
 * Lays out rows in columns below their headings. In a terminal that is too narrow, each row becomes a block of lines,
 * as in `FIELD  value`. `width` is the terminal's, or Infinity without one.
 */
export function table(head: readonly string[], rows: readonly Row[], width = Infinity): string {
  const texts = rows.map((row) => row.map(printable));
  const lines = [head, ...texts];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? ''))));
  if (widths.reduce((sum, each) => sum + each + gap, -gap) <= width) return columns(lines, widths);
  const label = Math.max(...head.map((name) => stringWidth(name)));
  const value = Math.max(narrowest, width - label - gap);
  const fieldsIn = (row: Row) => head.map((name, column) => [name, row[column] ?? '']);
  return texts.map((row) => columns(fieldsIn(row), [label, value])).join('\n\n');
}

function columns(lines: readonly Row[], widths: readonly number[]): string {
  const layout = new Table({
    chars: noBorders,
    colWidths: widths.map((width) => width + gap),
    wordWrap: true,
    wrapOnWordBoundary: false,
    style: { 'padding-left': 0, 'padding-right': gap },
  });
  layout.push(...lines.map((line) => [...line]));
  const text = layout.toString().split('\n');
  return text.map((line) => line.trimEnd()).join('\n');
}
