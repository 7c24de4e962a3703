import { pbkdf2Sync } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const result = { output: 'result', bytes: new Uint8Array([1, 2, 3]) };

const outputDescriptor = 3;

const bombs: Record<string, () => unknown> = {
  result: () => result,
  'late result': () => setTimeout(5000, result),
  'long result': () => ({ ...result, bytes: new Uint8Array(4) }),
  'long error': () => {
    throw new Error('x'.repeat(100_000));
  },
  'a result, and an endless loop': () => {
    const json = JSON.stringify({ outcome: 'done', output: 'taken over' });
    writeSync(outputDescriptor, Buffer.concat([Buffer.from([json.length, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(json)]));
    for (;;);
  },
  'endless zeros': () => {
    for (const zeros = Buffer.alloc(2 ** 20); ;) writeSync(outputDescriptor, zeros);
  },
  'four gibibytes': () => {
    for (const ones = Buffer.alloc(2 ** 20, 0xff); ;) writeSync(outputDescriptor, ones);
  },
  environment: () => ({ output: { ...process.env } }),
  throw: () => {
    throw new Error('thrown by the job');
  },
  crash: () => process.exit(3),
  'endless loop': () => {
    for (;;);
  },
  'endless native code': () => pbkdf2Sync('', '', 2 ** 31 - 1, 64, 'sha512'),
  'endless promise': () => setTimeout(2 ** 30),
  heap: () => {
    for (const kept: unknown[] = []; ;) kept.push({ kept: [kept.length] });
  },
  'large arrays': () => {
    for (const kept: unknown[] = []; ;) kept.push(new Array(2 ** 24).fill(0.5));
  },
  'one buffer': () => ({ output: new Uint8Array(2 ** 31).fill(1).length }),
  'one array, and nothing of it said': () => {
    try {
      return { output: new Uint8Array(2 ** 31).length };
    } catch {
      return result;
    }
  },
  buffers: () => {
    for (const kept: unknown[] = []; ;) kept.push(new Uint8Array(2 ** 20).fill(1));
  },
};

export default (name: string): unknown => bombs[name]?.();
