import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledFile } from '../support/compile.ts';
import { pinned } from '../support/cores.ts';
import type { LoadFigures, LoadMessage, LoadOrder } from './protocol.ts';

/**
 * Runs the load generator on this core against a server; calls `onBegin` after the warm-up.
 * @throws {Error} if a response is wrong or missing, or the signal aborts
 */
export async function runLoad(
  order: LoadOrder,
  { core, signal, onBegin }: { core: number | undefined; signal: AbortSignal; onBegin?: () => void },
): Promise<LoadFigures> {
  const [command = '', ...args] = pinned(core, [process.execPath, compiledFile('load/client.ts')]);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  const ended = once(child, 'close');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  signal.addEventListener('abort', kill);
  try {
    const figures = new Promise<LoadFigures>((resolve, reject) => {
      child.on('message', (message: LoadMessage) => {
        if ('figures' in message) resolve(message.figures);
        else if ('fault' in message) reject(new Error(message.fault));
        else onBegin?.();
      });
      void ended.then(() => {
        reject(signal.aborted ? (signal.reason as Error) : new Error('the load generator ended without a result'));
      });
    });
    child.send(order);
    return await figures;
  } finally {
    kill();
    await ended;
    process.off('exit', kill);
    signal.removeEventListener('abort', kill);
  }
}
