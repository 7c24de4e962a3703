export const millisecondsOfDay = 86_400_000;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Converts a time to the stored form: UTC with milliseconds, so that times sort as text. Returns undefined for a text
 * of another form, which `Date` might misread, for a leap second, and outside the years 0000 to 9999.
 */
export function normaliseTime(text: string): string | undefined {
  const time = new Date(text);
  if (!rfc3339.test(text) || Number.isNaN(time.getTime())) return undefined;
  const normalised = time.toISOString();
  return rfc3339.test(normalised) ? normalised : undefined;
}

const unitMilliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a whole number of seconds, minutes, hours or days, as in `90s`, `30m`, `24h` or `7d`, to milliseconds. */
export function millisecondsOf(duration: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([smhd])$/.exec(duration) ?? [];
  return count === undefined ? undefined : Number(count) * Number(unitMilliseconds[unit]);
}
