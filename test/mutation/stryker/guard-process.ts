/** Keeps what tests, and mutants, do to the process from ending it, and from Stryker's channel to it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';

const runs = new AsyncLocalStorage<unknown[]>();
const collect = (error: unknown) => void runs.getStore()?.push(error);
const events: EventEmitter = process;

process.on('uncaughtException', collect).on('unhandledRejection', collect);
process.exit = () => {
  throw new Error('The process would have ended.');
};

/** Runs tests, and gives the errors that they caused and nobody caught. An error that comes later fails no other run. */
export async function guarded(run: () => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const send = Object.getOwnPropertyDescriptor(process, 'send');
  const listeners = events.listeners('message') as (() => void)[];
  delete process.send;
  events.removeAllListeners('message');
  try {
    await runs.run(errors, run);
  } finally {
    events.removeAllListeners('message');
    for (const listener of listeners) events.on('message', listener);
    if (send) Object.defineProperty(process, 'send', send);
  }
  return errors;
}
