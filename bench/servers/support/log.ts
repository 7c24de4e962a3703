import { type Logger, pino } from 'pino';
import { environment } from './environment.ts';

/** The log entry of a response, the same as the program's own. */
export interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly operationId: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly credentialId: string | undefined;
}

/** Lines are written in batches of the same size as the program's own. */
const writing = {
  sync: false,
  contentMode: 'buffer',
  minLength: 16 * 1024,
  maxWrite: 32 * 1024,
  periodicFlush: 100,
} as const;
const destination = pino.destination({ dest: environment.logFile, ...writing });

/** The log file of this run. */
export const logFile = { write: (line: string) => destination.write(Buffer.from(line)) };

/** Logs to the file of this run, like the program itself. */
export function createLogger(): Logger {
  return pino({ level: 'info', base: null }, logFile);
}
