import { type Output, printable } from '../cli/run-command.ts';
import type { Progress } from '../run/model.ts';

/** Without a terminal, an occasional line is enough. */
const lineEverySeconds = 10;

const eraseLine = '\r\u001b[K';

/**
 * Shows what a run tries: on a terminal as one line that is redrawn, elsewhere as an occasional line. `end` removes the line.
 * @param titles what each check is about, by its id
 */
export function liveCount(
  output: Output,
  titles: ReadonlyMap<string, string> = new Map(),
): Required<Progress> & { end(): void } {
  let [failed, line, toldAt] = [0, '', performance.now()];
  const write = (text: string): void => {
    output.write(output.isTTY === true && line !== '' ? eraseLine + text : text);
  };
  const draw = (id: string, done: number, total: number): void => {
    const tried = printable(`${done}/${total} checks, ${failed} failed  ${id}  ${titles.get(id) ?? ''}`).trimEnd();
    if (output.isTTY === true) {
      line = tried.slice(0, (output.columns ?? 80) - 1);
      write(line);
    } else if (performance.now() - toldAt >= lineEverySeconds * 1000) {
      toldAt = performance.now();
      write(`${tried}\n`);
    }
  };
  return {
    onStart: draw,
    onResult: ({ outcome, check }, done, total) => {
      if (outcome === 'failed') failed += 1;
      draw(check.id, done, total);
    },
    onViolation: () => {
      failed += 1;
    },
    onNotice: (message) => {
      write(`notice: ${printable(message)}\n${line}`);
    },
    end: () => {
      write('');
      line = '';
    },
  };
}
