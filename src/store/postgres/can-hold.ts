/** Whether PostgreSQL can store a text. It rejects other texts in comparisons, too. */
export function canHold(text: string): boolean {
  return !text.includes('\0');
}
