import { CliError } from './errors.ts';
import { takeStopSignals } from './stop-signal.ts';

/** Runs a work that ends in good order when the process is told to stop; `undone` says what has not been done then. */
export async function stoppable<T>(undone: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = takeStopSignals(['SIGINT', 'SIGTERM']);
  void stop.given.then(() => {
    stopping.abort(new CliError(`It was stopped. ${undone}`));
  });
  try {
    return await work(stopping.signal);
  } finally {
    stop.release();
  }
}
