// @ts-nocheck
import { SingleBar } from 'cli-progress';
import type { Output } from './context.js';

const longImport = 1000;

/** Shows how far an import has come while it runs, if somebody is there to see it and it takes a while. */
export async function withProgress(
  output: Output,
  total: number,
  work: (onFile?: (added: number) => void) => Promise<void>,
): Promise<void> {
  if (output.isTTY !== true || total <= longImport) return work();
  const bar = new SingleBar({
    format: 'Importing [{bar}] {value}/{total} files',
    stream: output,
    clearOnComplete: true,
    synchronousUpdate: true,
  });
  bar.start(total, 0);
  try {
    await work((added) => {
      bar.update(added);
    });
  } finally {
    bar.stop();
  }
}
