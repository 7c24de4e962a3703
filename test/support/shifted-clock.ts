/**
 * Loaded with `--import` before a program. Shifts the clock of the program by the seconds in the file
 * CLOCK_SHIFT_FILE. Timers and `performance.now()` are unaffected, as when a system clock is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const file = process.env['CLOCK_SHIFT_FILE'] ?? '';
const lookMilliseconds = 20;
let shift = 0;

setInterval(() => (shift = Number(readFileSync(file, 'utf8')) * 1000), lookMilliseconds).unref();

globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [RealDate.now() + shift] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
} as DateConstructor;
