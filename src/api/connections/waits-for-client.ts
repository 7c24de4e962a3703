import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether a request in flight waits for its client alone: to send the rest of it, or to read the response. */
export function waitsForClient(
  { complete }: Pick<IncomingMessage, 'complete'>,
  { headersSent, writableLength }: Pick<ServerResponse, 'headersSent' | 'writableLength'>,
): boolean {
  return !complete || (headersSent && writableLength > 0);
}
