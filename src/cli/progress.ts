import { SingleBar } from 'cli-progress';
import type { Output } from './context.ts';

/** From this number of items on, work takes long enough to need a progress display. */
const longWork = 1000;

/** Shows the progress of long work if the output is a terminal. `doing` and `nouns` name the work. */
export async function withProgress<T>(
  output: Output,
  { doing, nouns, total, isLong = total > longWork }: { doing: string; nouns: string; total: number; isLong?: boolean },
  work: (onProgress?: (done: number) => void) => Promise<T>,
): Promise<T> {
  if (output.isTTY !== true || !isLong) return work();
  const bar = startBar(output, doing, nouns, total);
  try {
    return await work((done) => {
      bar.update(done);
    });
  } finally {
    bar.stop();
  }
}

/** The same for work in several stages, each with its own total and named after what it counts. */
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
    shown = { stage, bar: startBar(output, doing, stage, total) };
    return shown.bar;
  };
  try {
    return await work((stage, done, total) => {
      barOf(stage, total).update(done);
    });
  } finally {
    shown?.bar.stop();
  }
}

function startBar(stream: Output, doing: string, nouns: string, total: number): SingleBar {
  const format = `${doing} [{bar}] {value}/{total} ${nouns}`;
  const bar = new SingleBar({ format, stream, clearOnComplete: true, synchronousUpdate: true });
  bar.start(total, 0);
  return bar;
}
