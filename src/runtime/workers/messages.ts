/** What the primary process and its workers tell each other, beside what libraries send over the same channel. */
const servingType = 'document-analysis:serving';
const stopType = 'document-analysis:stop';

/** From a worker: it serves on this port. */
export interface ServingMessage {
  readonly type: typeof servingType;
  readonly port: number;
}

export function servingMessage(port: number): ServingMessage {
  return { type: servingType, port };
}

/** From the primary: finish the requests in flight, and end. */
export const stopMessage = { type: stopType };

export function isServingMessage(message: unknown): message is ServingMessage {
  return typeOf(message) === servingType;
}

export function isStopMessage(message: unknown): boolean {
  return typeOf(message) === stopType;
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}
