import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.js';
import { redactLine } from './redaction.js';

/**
 * Lines are written together once there are 4 KiB of them, or after a tenth of a second. If nobody takes them, at most 16 MiB
 * wait, and further ones are left out.
 */
const writing = { sync: false, minLength: 4096, periodicFlush: 100, maxLength: 16 * 1024 * 1024 };

/**
 * Logs to a stream, without secrets: one JSON object a line, or readable lines if the stream is a terminal. No request
 * waits for a line to be written; the last ones are when the process ends.
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
  return stream.fd === undefined ? stream : pino.destination({ dest: stream.fd, ...writing });
}
