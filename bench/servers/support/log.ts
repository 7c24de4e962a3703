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

/** Lines are written together, as in the program itself. */
const writing = { sync: true, minLength: 4096, periodicFlush: 100 };

/** Logs to the file of this run, as the program itself does. */
export function createLogger(): Logger {
  return pino({ level: 'info', base: null }, pino.destination({ dest: environment.logFile, ...writing }));
}
