const unitMilliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a whole number of seconds, minutes, hours or days, as in `90s`, `30m`, `24h` or `7d`, to milliseconds. */
export function millisecondsOf(duration: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(duration) ?? [];
  return count === undefined ? undefined : Number(count) * Number(unitMilliseconds[unit]);
}
