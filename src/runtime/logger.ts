import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { redactLine } from './redaction.ts';

/** Lines are written together: once there are 4 KiB of them, after a tenth of a second, and when the process ends. */
const writing = { sync: true, minLength: 4096, periodicFlush: 100 };

/** Loggers of one stream share what collects its lines, so that these come out in their order. */
const destinations = new Map<number, DestinationStream>();

/** Logs to a stream, without secrets: one JSON object a line, or readable lines if the stream is a terminal. */
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
  if (stream.fd === undefined) return stream;
  const known = destinations.get(stream.fd);
  if (known) return known;
  const destination = pino.destination({ dest: stream.fd, ...writing });
  process.once('exit', () => {
    destination.flushSync();
  });
  destinations.set(stream.fd, destination);
  return destination;
}
