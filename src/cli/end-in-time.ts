/**
 * Ends a process in time even if something hangs. Node.js waits for every file system call in progress, even in
 * `process.exit`; only a signal ends the process regardless.
 */
import type { Logger } from 'pino';
import type { CliContext } from './context.ts';

/** Leaves time to write the last log line. */
const lastLineMilliseconds = 500;

/** Records a part of the shutdown as unfinished until it resolves, and resolves with it. */
export type TrackPart = (part: string, work: Promise<void> | undefined) => Promise<void>;

/** Kills the process if it is still running after this time, and logs the parts that have not finished. */
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
