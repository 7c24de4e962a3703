import { type Logger, pino } from 'pino';
import type { Config } from './config.js';
import { redactLine } from './redaction.js';

/** Logs to a stream, without secrets: one JSON object a line, or readable lines if the stream is a terminal. */
export async function createLogger(
  level: Config['logLevel'],
  stream: NodeJS.WritableStream & { isTTY?: boolean },
): Promise<Logger> {
  const options = { level, base: null, hooks: { streamWrite: redactLine } };
  if (!stream.isTTY) return pino(options, stream);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: stream, sync: true, colorize: process.env['NO_COLOR'] === undefined }));
}
