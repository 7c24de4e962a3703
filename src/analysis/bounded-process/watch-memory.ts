/**
 * Watches the memory of a process from outside. A thread inside it would be exempt from Node's permission model, and
 * allowing threads would exempt the job too. On Windows, memory is not watched.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { intervalMilliseconds, kibibytesOf } =
  process.platform === 'linux'
    ? { intervalMilliseconds: 20, kibibytesOf: kibibytesByProc }
    : { intervalMilliseconds: 250, kibibytesOf: kibibytesByPs };

/** Calls `onExceeded` whenever a process has more memory than allowed, until it is stopped. */
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

/** Synchronous, because it takes only about 20 microseconds; an asynchronous read takes longer, and can be delayed. */
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
