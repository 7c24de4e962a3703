import { createHash } from 'node:crypto';

/**
 * A statement that each connection prepares once, at its first use, and finds again by its name. Through a pooler it is sent
 * without the name and parsed each time, as the next one may reach another session.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement after its text. */
export function prepared(text: string): Statement {
  return { name: createHash('sha256').update(text).digest('hex').slice(0, 16), text };
}
