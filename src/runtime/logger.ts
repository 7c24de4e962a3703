import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { redactLine } from './redaction.ts';

/**
 * Lines are written together: once there are 4 KiB of them, after a tenth of a second, and when the process ends. Nobody
 * waits for them to be written: a pipe whose reader has stopped would stop the service. Those that it has no room for are
 * kept, up to 4 MiB; past that they are dropped.
 */
const writing = { sync: false, minLength: 4096, periodicFlush: 100, maxLength: 4 * 1024 * 1024 };
/** How long the end of the process waits for a pipe to take the last lines. */
const lastFlushMilliseconds = 1000;

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
  let flushUntil = Infinity;
  const retryEAGAIN = () => performance.now() < flushUntil;
  const destination = pino.destination({ dest: stream.fd, ...writing, retryEAGAIN });
  process.prependOnceListener('exit', () => {
    flushUntil = performance.now() + lastFlushMilliseconds;
    try {
      destination.flushSync();
    } catch {
      destination.destroy();
    }
  });
  reportDropped(destination);
  destinations.set(stream.fd, destination);
  return destination;
}

function reportDropped(destination: ReturnType<typeof pino.destination>): void {
  let dropped = 0;
  destination.on('drop', () => (dropped += 1));
  destination.on('drain', () => {
    if (dropped === 0) return;
    pino({ base: null }, destination).warn({ dropped }, 'lines of the log were dropped: nobody read it');
    dropped = 0;
  });
}
