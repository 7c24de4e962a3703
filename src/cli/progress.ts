import { SingleBar } from 'cli-progress';
import type { Output } from './context.ts';

/** How many pieces of work that are done at once take longer than somebody likes to wait without a sign. */
const longWork = 1000;

/** Shows how far a long work has come while it runs, if somebody is there to see it. `doing` and `nouns` name the work. */
export async function withProgress<T>(
  output: Output,
  { doing, nouns, total, isLong = total > longWork }: { doing: string; nouns: string; total: number; isLong?: boolean },
  work: (onProgress?: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (output.isTTY !== true || !isLong) return work();
  const bar = new SingleBar({
    format: `${doing} [{bar}] {value}/{total} ${nouns}`,
    stream: output,
    clearOnComplete: true,
    synchronousUpdate: true,
  });
  bar.start(total, 0);
  try {
    return await work((done) => {
      bar.update(done);
    });
  } finally {
    bar.stop();
  }
}
