import { type Logger, pino } from 'pino';
import { environment } from './environment.ts';

/** What is logged of a response: the same as the program itself logs. */
export interface CompletedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly operationId: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly credentialId: string | undefined;
}

/** Lines are written together, as many as in the program itself. */
const writing = {
  sync: false,
  contentMode: 'buffer',
  minLength: 16 * 1024,
  maxWrite: 32 * 1024,
  periodicFlush: 100,
} as const;
const destination = pino.destination({ dest: environment.logFile, ...writing });

/** The file of this run. */
export const logFile = { write: (line: string) => destination.write(Buffer.from(line)) };

/** Logs to the file of this run, as the program itself does. */
export function createLogger(): Logger {
  return pino({ level: 'info', base: null }, logFile);
}
