/** Loaded before a program with `--import`: at SIGUSR2 the program's clock steps back by an hour. */
const RealDate = Date;
let shift = 0;

process.on('SIGUSR2', () => (shift -= 3_600_000));

globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [RealDate.now() + shift] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
} as DateConstructor;
