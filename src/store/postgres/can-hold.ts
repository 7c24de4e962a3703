import type { Row } from '../tables.ts';

/** Whether PostgreSQL can store a text. It rejects other texts in comparisons, too. */
export function canHold(text: string): boolean {
  return !text.includes('\0');
}

/** Whether PostgreSQL can store each cell of a row. */
export function canHoldAll(row: Row): boolean {
  return row.every((cell) => typeof cell !== 'string' || canHold(cell));
}
