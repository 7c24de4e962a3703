/** What the primary process and its workers tell each other, beside what libraries send over the same channel. */
const servingType = 'document-analysis:serving';
const failureType = 'document-analysis:failure';
const stopType = 'document-analysis:stop';

/** From a worker: it serves on this port. */
export interface ServingMessage {
  readonly type: typeof servingType;
  readonly port: number;
}

export function servingMessage(port: number): ServingMessage {
  return { type: servingType, port };
}

/** From a worker: it ends because of this, as a program writes it to stderr. */
export interface FailureMessage {
  readonly type: typeof failureType;
  readonly text: string;
}

export function failureMessage(text: string): FailureMessage {
  return { type: failureType, text };
}

/** From the primary: finish the requests in flight, and end. */
export const stopMessage = { type: stopType };

export function isServingMessage(message: unknown): message is ServingMessage {
  return typeOf(message) === servingType;
}

export function isFailureMessage(message: unknown): message is FailureMessage {
  return typeOf(message) === failureType;
}

export function isStopMessage(message: unknown): boolean {
  return typeOf(message) === stopType;
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}
