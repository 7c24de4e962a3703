import { bulkhead } from 'cockatiel';
import { readDocument } from './read-document.ts';
import { readingsAtATime } from './reading-bounds.ts';

const places = bulkhead(readingsAtATime(), Infinity);

/**
 * Reads a document once there is memory for it. Analyses and repeated registry checks share the limit on concurrent
 * readings.
 */
export const readInTurn: typeof readDocument = (...parameters) =>
  places.execute(() => readDocument(...parameters), parameters[2]);
