import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a program with this process, if it has not ended before. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  void once(child, 'close').finally(() => process.off('exit', end));
}
