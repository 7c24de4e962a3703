import { bulkhead } from 'cockatiel';
import { readDocument } from './read-document.ts';
import { readingsAtATime } from './reading-bounds.ts';

const places = bulkhead(readingsAtATime(), Infinity);

/**
 * Reads a document when there is memory for it: whatever is read, for an analysis or because registries are asked again, only so
 * many readings have memory at a time.
 */
export const readInTurn: typeof readDocument = (...parameters) =>
  places.execute(() => readDocument(...parameters), parameters[2]);
