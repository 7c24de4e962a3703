/** What a bounded job may do wrong, by name. */
import { setTimeout } from 'node:timers/promises';
import { inflateSync, deflateSync } from 'node:zlib';

const bombs: Record<string, () => unknown> = {
  answer: () => new Uint8Array([1, 2, 3]),
  'late answer': () => setTimeout(2000, new Uint8Array([1, 2, 3])),
  environment: () => ({ ...process.env }),
  throw: () => {
    throw new Error('thrown by the job');
  },
  crash: () => process.exit(3),
  'endless loop': () => {
    for (;;);
  },
  'endless native code': () => inflateSync(deflateSync(Buffer.alloc(2 ** 31 - 1))),
  'endless promise': () => setTimeout(2 ** 30),
  heap: () => {
    for (const kept: unknown[] = []; ;) kept.push({ kept: [kept.length] });
  },
  'large arrays': () => {
    for (const kept: unknown[] = []; ;) kept.push(new Array(2 ** 24).fill(0.5));
  },
  buffers: () => {
    for (const kept: unknown[] = []; ;) kept.push(new Uint8Array(2 ** 20).fill(1));
  },
};

export default (name: string): unknown => bombs[name]?.();
