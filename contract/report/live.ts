import { SingleBar } from 'cli-progress';
import { type Output, printable } from '../cli/run-command.ts';
import type { Progress } from '../run/model.ts';

/** Without a terminal, an occasional line is enough. */
const lineEverySeconds = 10;

/** Shows what a run tries: on a terminal as one line that is redrawn, elsewhere as an occasional line. */
export interface LiveCount extends Required<Progress> {
  /** Removes the line. */
  end(): void;
}

/** @param titles what each check is about, by its id */
export function liveCount(output: Output, titles: ReadonlyMap<string, string> = new Map()): LiveCount {
  const format = '{value}/{total} checks, {failed} failed  {tried}';
  const bar = new SingleBar({ format, stream: output, clearOnComplete: true, hideCursor: true });
  let [failed, tried, done, total] = [0, '', 0, 0];
  let isVisible = false;
  let toldAt = performance.now();
  const draw = (): void => {
    if (output.isTTY === true) {
      if (isVisible) bar.update(done, { failed, tried });
      else bar.start(total, done, { failed, tried });
      isVisible = true;
    } else if (performance.now() - toldAt >= lineEverySeconds * 1000) {
      toldAt = performance.now();
      output.write(`${done}/${total} checks, ${failed} failed  ${tried}\n`);
    }
  };
  const end = (): void => {
    if (isVisible) bar.stop();
    isVisible = false;
  };
  const tryNow = (id: string, finished: number, all: number): void => {
    [done, total] = [finished, all];
    tried = printable(`${id}  ${titles.get(id) ?? ''}`).trimEnd();
    draw();
  };
  return {
    onStart: tryNow,
    onResult: ({ outcome, check }, finished, all) => {
      if (outcome === 'failed') failed += 1;
      tryNow(check.id, finished, all);
    },
    onViolation: () => {
      failed += 1;
      if (isVisible) draw();
    },
    onNotice: (message) => {
      const wasVisible = isVisible;
      end();
      output.write(`notice: ${printable(message)}\n`);
      if (wasVisible) draw();
    },
    end,
  };
}
