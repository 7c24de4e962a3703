/**
 * Watches how much memory a process takes, from outside: a thread inside it would be free of Node's permission model, and
 * with it the job. On Windows nothing watches.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { intervalMilliseconds, kibibytesOf } =
  process.platform === 'linux'
    ? { intervalMilliseconds: 20, kibibytesOf: kibibytesByProc }
    : { intervalMilliseconds: 250, kibibytesOf: kibibytesByPs };

/** Calls `onExceeded` when a process has more memory than allowed, until it is stopped. */
export function watchMemory(pid: number, mebibytes: number, onExceeded: () => void): { stop: () => void } {
  const timer = setInterval(() => {
    kibibytesOf(pid, (kibibytes) => {
      if (kibibytes > mebibytes * 1024) onExceeded();
    });
  }, intervalMilliseconds);
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** Some 20 microseconds; asynchronously it would be more, and could wait for whatever hangs. */
function kibibytesByProc(pid: number, tell: (kibibytes: number) => void): void {
  try {
    tell(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0));
  } catch {
    // It has ended.
  }
}

function kibibytesByPs(pid: number, tell: (kibibytes: number) => void): void {
  execFile('ps', ['-o', 'rss=', '-p', String(pid)], (_, stdout) => {
    tell(Number(stdout));
  });
}
