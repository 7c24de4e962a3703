/** What the primary process and its workers tell each other, beside what libraries send over the same channel. */
import cluster from 'node:cluster';

/** A message, told apart from those of libraries by its type. */
export type WorkerMessage =
  /** From a worker: it serves on this port. */
  | { readonly type: 'document-analysis:serving'; readonly port: number }
  /** From a worker: it ends because of this, as a program writes it to stderr. */
  | { readonly type: 'document-analysis:failure'; readonly text: string }
  /** From the primary: finish the requests in flight, and end. */
  | { readonly type: 'document-analysis:stop' };

/** A message that was received; undefined if it is one of a library. */
export function workerMessageOf(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
  return String(message.type).startsWith('document-analysis:') ? (message as WorkerMessage) : undefined;
}

/** Tells the primary why this worker ends, for its log; false if it is no worker or the primary cannot be reached. */
export async function tellFailure(text: string): Promise<boolean> {
  if (!cluster.isWorker || text === '' || !process.connected) return false;
  const message: WorkerMessage = { type: 'document-analysis:failure', text };
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, (error) => {
      resolve(error === null);
    });
  });
}
