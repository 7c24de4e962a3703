import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.js';
import { redactLine } from './redaction.js';

/** How much of the log may wait to be written; past it, lines are left out rather than memory filled. */
const maxLength = 16 * 1024 * 1024;

/**
 * Logs to a stream, without secrets: one JSON object a line, or readable lines if the stream is a terminal. No request
 * waits for a line to be written: those of one moment are written together, the last ones when the process ends.
 */
export async function createLogger(
  level: Config['logLevel'],
  stream: NodeJS.WritableStream & { isTTY?: boolean; fd?: number },
): Promise<Logger> {
  const options = { level, base: null, hooks: { streamWrite: redactLine } };
  if (!stream.isTTY) return pino(options, destinationOf(stream));
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: stream, sync: true, colorize: process.env['NO_COLOR'] === undefined }));
}

function destinationOf(stream: NodeJS.WritableStream & { fd?: number }): DestinationStream {
  return stream.fd === undefined ? stream : pino.destination({ dest: stream.fd, sync: false, maxLength });
}
