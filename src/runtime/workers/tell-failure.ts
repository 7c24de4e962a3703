import cluster from 'node:cluster';
import { failureMessage } from './messages.ts';

/**
 * Sends the reason why a worker ends to its primary, which logs it: a line of the worker on stderr would break the form of the log.
 * False if this process is no worker, or the primary cannot be reached.
 */
export async function tellFailure(text: string): Promise<boolean> {
  if (!cluster.isWorker || text === '') return false;
  return new Promise((resolve) => {
    if (!process.connected) resolve(false);
    else
      process.send?.(failureMessage(text), undefined, undefined, (error) => {
        resolve(error === null);
      });
  });
}
