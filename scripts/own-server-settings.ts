/** How the project's own server is set up for a run of the suite, without loading it. */

/** Small enough to be used up in a moment, in a window that does not end meanwhile, also on a busy machine. */
export const requestQuota = 250;
const windowSeconds = 10;

/** The settings of the project's own server for a run of the suite. */
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
