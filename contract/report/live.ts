import { SingleBar } from 'cli-progress';
import { type Output, printable } from '../cli/run-command.ts';
import type { Progress } from '../run/model.ts';

/** Without a terminal, an occasional line is enough. */
const lineEverySeconds = 10;

/** Shows the progress of a run: on a terminal as one line that is redrawn, elsewhere as an occasional line. */
export interface LiveCount extends Required<Progress> {
  /** Removes the line. */
  end(): void;
}

export function liveCount(output: Output): LiveCount {
  return output.isTTY === true ? redrawn(output) : inLines(output);
}

function redrawn(output: Output): LiveCount {
  const bar = new SingleBar({
    format: '{value}/{total} checks, {failed} failed  {check}',
    stream: output,
    clearOnComplete: true,
    hideCursor: true,
  });
  let [failed, check, done, checks] = [0, '', 0, 0];
  let visible = false;
  const draw = (finished: number, total: number): void => {
    [done, checks] = [finished, total];
    if (visible) bar.update(done, { failed, check });
    else bar.start(total, done, { failed, check });
    visible = true;
  };
  const hide = (): void => {
    if (visible) bar.stop();
    visible = false;
  };
  return {
    onStart: (id, finished, total) => {
      check = printable(id);
      draw(finished, total);
    },
    onResult: (result, finished, total) => {
      if (result.outcome === 'failed') failed += 1;
      check = printable(result.check.id);
      draw(finished, total);
    },
    onViolation: () => {
      failed += 1;
      if (visible) draw(done, checks);
    },
    onNotice: (message) => {
      const wasVisible = visible;
      hide();
      output.write(`notice: ${printable(message)}\n`);
      if (wasVisible) draw(done, checks);
    },
    end: hide,
  };
}

function inLines(output: Output): LiveCount {
  let failed = 0;
  let toldAt = performance.now();
  return {
    onStart: () => undefined,
    onResult: ({ outcome }, done, total) => {
      if (outcome === 'failed') failed += 1;
      if (performance.now() - toldAt < lineEverySeconds * 1000) return;
      toldAt = performance.now();
      output.write(`${done}/${total} checks, ${failed} failed\n`);
    },
    onViolation: () => {
      failed += 1;
    },
    onNotice: (message) => {
      output.write(`notice: ${printable(message)}\n`);
    },
    end: () => undefined,
  };
}
