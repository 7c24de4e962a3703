import { type Logger, pino } from 'pino';
import { environment } from './environment.js';

/** What is logged of an answer: the same as the program itself logs. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  readonly operationId: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly credentialId: string | undefined;
}

/** How much may wait to be written, as in the program itself. */
const maxLength = 16 * 1024 * 1024;

/** Logs to the file of this run, as the program itself does: no request waits for its line to be written. */
export function createLogger(): Logger {
  return pino({ level: 'info', base: null }, pino.destination({ dest: environment.logFile, sync: false, maxLength }));
}
