/** The process of a bounded job. */
import { InputFile } from './input-file.ts';
import { send } from './message.ts';
import type { Job, Order } from './run-bounded.ts';
import { withhold } from './withhold.ts';

/** The descriptors after standard input, output and error. */
const outputDescriptor = 3;
const inputDescriptor = 4;

const mostMessageCharacters = 1000;

// A signal that stops the whole service reaches the parent too, and the parent decides what becomes of the job.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
const parent = process.ppid;
// Where the system does not end the process with its parent. The timer also keeps the process alive until the parent ends it.
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1000);

// Requests to the server take precedence. An import would copy the function, which is withheld next.
const os = process.getBuiltinModule('os');
// Only an administrator may raise the priority of a server that was started with a lower one.
const { PRIORITY_BELOW_NORMAL } = os.constants.priority;
if (os.getPriority() < PRIORITY_BELOW_NORMAL) os.setPriority(PRIORITY_BELOW_NORMAL);
withhold();
abortWithoutMemory();
const { job, input } = JSON.parse(process.argv[2] ?? '') as Order;
try {
  const { default: run } = (await import(job)) as { default: Job<unknown, unknown> };
  const { output, bytes } = await run(input, new InputFile(inputDescriptor));
  send(outputDescriptor, { outcome: 'done', output }, bytes);
} catch (error) {
  abortIfOutOfMemory(error);
  send(outputDescriptor, { outcome: 'failed', message: String(error).slice(0, mostMessageCharacters) });
}

/**
 * Ends the process when an array cannot be allocated within the memory limit. A job might take that error for a fault of
 * the file, or go on without a part of it. The engine itself aborts when it has no memory left.
 */
function abortWithoutMemory(): void {
  const arrays = [
    ArrayBuffer,
    Uint8Array,
    Uint8ClampedArray,
    Int8Array,
    Uint16Array,
    Int16Array,
    Uint32Array,
    Int32Array,
  ];
  for (const constructor of [...arrays, Float32Array, Float64Array]) {
    const guarded: object = new Proxy(constructor, {
      construct(target, parameters, created) {
        try {
          return Reflect.construct(target, parameters, created === guarded ? target : created) as object;
        } catch (error) {
          abortIfOutOfMemory(error);
          throw error;
        }
      },
    });
    Object.defineProperty(globalThis, constructor.name, { value: guarded });
  }
}

function abortIfOutOfMemory(error: unknown): void {
  if (error instanceof RangeError && error.message.includes('allocation failed')) process.abort();
}
