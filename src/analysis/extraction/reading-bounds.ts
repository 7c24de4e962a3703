/** How much of the machine the reading of files may take. */
import { availableParallelism, totalmem } from 'node:os';
import type { Bounds } from '../bounded-process/run-bounded.ts';

const mebibytes = 512;
const longestSeconds = 60;
/** The start of a process takes some 0.3, and a page hardly more than 0.01. */
const shortestSeconds = 5;
const bytesEachSecond = 20_000;
/** A process with a low priority waits for others. */
const waitingFactor = 6;

/** What reading a file may take, by its size: a small one that takes long is hostile. */
export function boundsOfReading(bytes: number): Bounds {
  const processorSeconds = Math.min(longestSeconds, shortestSeconds + Math.floor(bytes / bytesEachSecond));
  const milliseconds = Math.min(longestSeconds, waitingFactor * processorSeconds) * 1000;
  return { milliseconds, processorSeconds, mebibytes };
}

const mostAtATime = 4;

/** How many files are read at a time: a core for each, and at most half of the memory that this process may have. */
export function readingsAtATime(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const fit = Math.floor(memory / 2 / (mebibytes * 2 ** 20));
  return Math.max(1, Math.min(availableParallelism(), fit, mostAtATime));
}
