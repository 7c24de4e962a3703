/**
 * Has a process end in time, whatever hangs. By itself it does not: Node.js waits for each call of the file system that has
 * begun, in `process.exit` too. A signal ends it all the same.
 */
import type { Logger } from 'pino';
import type { CliContext } from './context.ts';

/** For the line that says why to be written. */
const lastLineMilliseconds = 500;

/** Names a part of the end until it is done, and resolves with it. */
export type TrackPart = (part: string, work: Promise<void> | undefined) => Promise<void>;

/** Kills the process if it has not ended by itself so long from now; the log says what has not come to its end. */
export function endInTime({ kill }: Pick<CliContext, 'kill'>, logger: Logger, milliseconds: number): TrackPart {
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
