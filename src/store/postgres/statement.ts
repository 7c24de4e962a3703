import { createHash } from 'node:crypto';

/**
 * A statement that each connection prepares at its first use and then executes by name. Through a pooler it is sent
 * without a name and parsed each time, because the next call may reach another session.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement by a hash of its text. */
export function prepared(text: string): Statement {
  return { name: createHash('sha256').update(text).digest('hex').slice(0, 16), text };
}

/** Whether PostgreSQL can store a text. It rejects other texts in comparisons, too. */
export function canHold(text: string): boolean {
  return !text.includes('\0');
}
