import { type TimedResponse, KeptConnection } from '../support/connection.ts';
import { percentile } from '../support/statistics.ts';
import type { TimedRequest } from './requests.ts';

/** The time of an operation, in milliseconds, over all requests. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  readonly times: number;
  readonly requestsPerSecond: number;
  /** The size of the longest body. */
  readonly bodyBytes: number;
}

/**
 * How long to time: until the number or the seconds are reached, but each request at least once if the number allows.
 */
export interface Duration {
  readonly times: number;
  readonly seconds: number;
}

/**
 * Times requests over this many connections, each of which sends its next request when it has received a response.
 * @throws {Error} if a response has an unexpected status
 */
export async function timeRequests(
  port: number,
  requests: readonly TimedRequest[],
  { times, seconds, connections = 1 }: Duration & { connections?: number },
): Promise<Timing> {
  const opened = await Promise.all(Array.from({ length: connections }, () => KeptConnection.open(port)));
  const responses: TimedResponse[] = [];
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  let sent = 0;
  try {
    await Promise.all(
      opened.map(async (connection) => {
        while (sent < times && (sent === 0 || performance.now() < deadline)) {
          const request = requests[sent % requests.length];
          if (!request) throw new Error('There is no request to time.');
          sent += 1;
          const response = await connection.exchange(request.bytes);
          if (response.status !== request.status)
            throw new Error(
              `A request got ${response.status}, not ${request.status}:\n${request.bytes.toString().split('\r\n')[0]}`,
            );
          responses.push(response);
        }
      }),
    );
  } finally {
    for (const connection of opened) connection.close();
  }
  const milliseconds = responses.map((response) => response.milliseconds);
  return {
    p50: percentile(milliseconds, 0.5),
    p99: percentile(milliseconds, 0.99),
    times: responses.length,
    requestsPerSecond: (responses.length / (performance.now() - startedAt)) * 1000,
    bodyBytes: responses.reduce((most, { bodyBytes }) => Math.max(most, bodyBytes), 0),
  };
}
