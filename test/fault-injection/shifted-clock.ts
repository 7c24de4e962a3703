/**
 * Loaded before a program with `--import`, also by its workers: the clock of the program is off by the seconds that stand in
 * the file CLOCK_SHIFT_FILE. Its timers and `performance.now()` are not, as with a clock that is set.
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
