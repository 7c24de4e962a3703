/** Whether PostgreSQL can hold a text. What it cannot hold, it refuses to compare with, too. */
export function canHold(text: string): boolean {
  return !text.includes('\0');
}
