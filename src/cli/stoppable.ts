import { CliError } from './errors.ts';
import { takeStopSignals } from './stop-signal.ts';

/** Runs work, and aborts its signal on SIGINT and SIGTERM; `undone` is the message that says what was not done. */
export async function stoppable<T>(undone: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = takeStopSignals(['SIGINT', 'SIGTERM']);
  void stop.given.then(() => {
    stopping.abort(new CliError(`Stopped. ${undone}`));
  });
  try {
    return await work(stopping.signal);
  } finally {
    stop.release();
  }
}
