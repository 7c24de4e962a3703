import { OperatorError } from '../domain/errors.ts';
import type { Logger } from 'pino';
import type { CliContext } from './context.ts';

/**
 * Handles signals, so that none of them ends the process by itself, even if repeated. Some senders repeat signals, such
 * as npm those of a terminal, and the second one must not cut off requests in flight.
 */
export function handleStopSignals(signals: readonly NodeJS.Signals[]) {
  const { promise: received, resolve } = Promise.withResolvers<undefined>();
  const receive = (): void => {
    resolve(undefined);
  };
  for (const signal of signals) process.on(signal, receive);
  const release = (): void => {
    for (const signal of signals) process.off(signal, receive);
  };
  return { /** Resolves at the first signal. */ received, release };
}

/** Runs work, and aborts its signal on SIGINT and SIGTERM; `undone` is the message that says what was not done. */
export async function stoppable<T>(undone: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = handleStopSignals(['SIGINT', 'SIGTERM']);
  void stop.received.then(() => {
    stopping.abort(new OperatorError(`Stopped. ${undone}`));
  });
  try {
    return await work(stopping.signal);
  } finally {
    stop.release();
  }
}

const lastLineMilliseconds = 500;

/** Records a part of the shutdown as unfinished until it resolves, and resolves with it. */
type TrackPart = (part: string, work: Promise<void> | undefined) => Promise<void>;

/**
 * Kills the process if it is still running after this time, and logs what has not finished. Node.js waits for pending
 * file system calls, even in `process.exit`; only a signal ends the process regardless.
 */
export function killAfter({ kill }: Pick<CliContext, 'kill'>, logger: Logger, milliseconds: number): TrackPart {
  const unfinished = new Set<string>();
  setTimeout(() => {
    const waitingFor = [...new Set(process.getActiveResourcesInfo())];
    logger.error({ unfinished: [...unfinished], waitingFor }, `not ended within ${milliseconds} ms: killed`);
    setTimeout(kill, lastLineMilliseconds);
  }, milliseconds).unref();
  return async (part, work) => {
    unfinished.add(part);
    await work;
    unfinished.delete(part);
  };
}
