/** Prevents tests and mutants from ending the process or using its channel to Stryker. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';

const runs = new AsyncLocalStorage<unknown[]>();
const collect = (error: unknown) => void runs.getStore()?.push(error);
const events: EventEmitter = process;

process.on('uncaughtException', collect).on('unhandledRejection', collect);
process.exit = () => {
  throw new Error('The process would have ended.');
};

/** Runs tests, and returns their uncaught errors. An error that occurs later does not fail another run. */
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
