import cluster from 'node:cluster';
import { failureMessage } from './messages.ts';

/**
 * Has a worker tell its primary why it ends, so that the primary's log says it and no line of another form stands in there.
 * False if this is no worker, or its primary cannot be told.
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
