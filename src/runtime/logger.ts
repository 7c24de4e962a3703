import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';
import { secretNames } from '../../generated/operations.ts';
import { hideSecrets } from '../domain/secrets-in-text.ts';

/**
 * A second safeguard against secrets in the log. The secret names are the document's: headers of security schemes, and
 * fields marked as `x-sensitive`. Only lines that contain one are parsed; pino's redaction paths cost many times as
 * much on each line, and reach only listed depths.
 */
const hidden = '[Redacted]';

const names = new Set<string>(secretNames);
const named = new RegExp(`"(?:${secretNames.map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|')})":`, 'i');

/** A log line, which is a JSON object, without what is secret in it, at whatever depth. */
export function redactLine(line: string): string {
  const hideNamed = (name: string, value: unknown) => (names.has(name.toLowerCase()) ? hidden : value);
  const readable = named.test(line) ? `${JSON.stringify(JSON.parse(line), hideNamed)}\n` : line;
  return hideSecrets(readable, hidden);
}

/**
 * Lines are written in batches: when there are enough, after a tenth of a second, and at exit. Writing is asynchronous,
 * because a pipe whose reader has stopped would block the service. Up to 4 MiB are buffered, further lines are dropped.
 * Buffers take half the memory of strings.
 */
const writing = { sync: false, contentMode: 'buffer', periodicFlush: 100, maxLength: 4 * 1024 * 1024 } as const;
const toFile = { minLength: 16 * 1024, maxWrite: 32 * 1024 };
/** Processes may share a pipe: a write of at most PIPE_BUF bytes is never mixed with those of others (POSIX, write). */
const toPipe = { minLength: 3 * 1024, maxWrite: 4 * 1024 };
/** How long the process waits at exit for a pipe to accept the last lines. */
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
  const sizes = fstatSync(stream.fd).isFile() ? toFile : toPipe;
  const destination = pino.destination({ dest: stream.fd, ...writing, ...sizes, retryEAGAIN });
  const bytes = destination as unknown as { write(bytes: Buffer): void };
  const lines = {
    write: (line: string) => {
      bytes.write(Buffer.from(line));
    },
  };
  process.prependOnceListener('exit', () => {
    flushUntil = performance.now() + lastFlushMilliseconds;
    try {
      destination.flushSync();
    } catch {
      destination.destroy();
    }
  });
  reportDropped(destination, lines);
  destinations.set(stream.fd, lines);
  return lines;
}

function reportDropped(destination: ReturnType<typeof pino.destination>, lines: DestinationStream): void {
  let dropped = 0;
  destination.on('drop', () => (dropped += 1));
  destination.on('drain', () => {
    if (dropped === 0) return;
    pino({ base: null }, lines).warn({ dropped }, 'log lines were dropped, because the reader is too slow');
    dropped = 0;
  });
}
