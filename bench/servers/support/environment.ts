/** The environment of a peer, set by the program that starts it. */
export const environment = {
  port: Number(process.env['PORT']),
  databaseFile: String(process.env['DATABASE_FILE']),
  logFile: String(process.env['LOG_FILE']),
} as const;

/** Higher than any run can reach: requests are counted, but never refused. */
export const unreachableLimit = 1_000_000_000;

export const rateLimitWindowMilliseconds = 60_000;
