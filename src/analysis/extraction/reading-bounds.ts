import { availableParallelism, totalmem } from 'node:os';
import type { Bounds } from '../bounded-process/run-bounded.ts';

/** The maximum length of a document's comparable text in UTF-8: 5,000,000 characters of nearly any script. */
export const maxTextBytes = 16 * 2 ** 20;

const mebibytes = 512;
const maxSeconds = 60;
/** Starting a process takes about 0.3 s, and a page hardly more than 0.01 s. */
const minSeconds = 5;
const bytesEachSecond = 20_000;
/** A process with a low priority waits for others. */
const waitingFactor = 6;

/** The bounds for reading a file, by its size: a small file that takes long is hostile. */
export function boundsOfReading(bytes: number): Bounds {
  const processorSeconds = Math.min(maxSeconds, minSeconds + Math.floor(bytes / bytesEachSecond));
  const milliseconds = Math.min(maxSeconds, waitingFactor * processorSeconds) * 1000;
  return { milliseconds, processorSeconds, mebibytes };
}

const maxAtATime = 4;

/** How many files are read at a time: one per core, in at most half of the memory available to this process. */
export function readingsAtATime(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const fit = Math.floor(memory / 2 / (mebibytes * 2 ** 20));
  return Math.max(1, Math.min(availableParallelism(), fit, maxAtATime));
}
