/** The settings of the project's own server for a run of the suite, in a module that does not load the server. */

/** Small enough to be used up before the window ends, even on a busy machine. */
export const requestQuota = 250;
const windowSeconds = 10;

export function ownServerSettings(dataDirectory: string): Record<string, string> {
  return {
    DATA_DIR: dataDirectory,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_REQUESTS: String(requestQuota),
    RATE_LIMIT_FAILED_AUTHENTICATIONS: String(requestQuota),
    RATE_LIMIT_PUBLIC_REQUESTS: String(requestQuota),
    RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds),
  };
}
