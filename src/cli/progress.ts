import { SingleBar } from 'cli-progress';
import type { Output } from './context.ts';

/** From this number of items on, work takes long enough to need a progress display. */
const longWork = 1000;

/** Shows the progress of work if the output is a terminal: of its stages, each with its own total and named after what it counts. */
export async function withStages<T>(
  output: Output,
  doing: string,
  work: (onProgress?: (stage: string, done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (output.isTTY !== true) return work();
  let shown: { stage: string; bar: SingleBar } | undefined;
  const barOf = (stage: string, total: number): SingleBar => {
    if (shown?.stage === stage) return shown.bar;
    shown?.bar.stop();
    const format = `${doing} [{bar}] {value}/{total} ${stage}`;
    const bar = new SingleBar({ format, stream: output, clearOnComplete: true, synchronousUpdate: true });
    bar.start(total, 0);
    shown = { stage, bar };
    return bar;
  };
  try {
    return await work((stage, done, total) => {
      barOf(stage, total).update(done);
    });
  } finally {
    shown?.bar.stop();
  }
}

export function withProgress<T>(
  output: Output,
  { doing, nouns, total, isLong = total > longWork }: { doing: string; nouns: string; total: number; isLong?: boolean },
  work: (onProgress?: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (!isLong) return work();
  return withStages(output, doing, (onProgress) => {
    const onDone = (done: number): void => {
      onProgress?.(nouns, done, total);
    };
    onDone(0);
    return work(onProgress && onDone);
  });
}
