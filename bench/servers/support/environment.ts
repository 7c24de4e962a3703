/** What a peer gets from the program that starts it. */
export const environment = {
  port: Number(process.env['PORT']),
  databaseFile: String(process.env['DATABASE_FILE']),
  logFile: String(process.env['LOG_FILE']),
} as const;

/** More than any run can reach: limits are counted, and refuse nobody. */
export const unreachableLimit = 1_000_000_000;

export const rateLimitWindowMilliseconds = 60_000;
