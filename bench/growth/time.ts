import { type Answer, KeptConnection } from '../support/connection.ts';
import { percentile } from '../support/statistics.ts';
import type { TimedRequest } from './requests.ts';

/** How long an operation took, in milliseconds, over all the times that it was asked for. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  readonly times: number;
  readonly requestsPerSecond: number;
  /** The longest body that came back. */
  readonly bodyBytes: number;
}

/** How long to time: until the number or the seconds are reached, whichever comes first, but each request at least once if the number allows. */
export interface Duration {
  readonly times: number;
  readonly seconds: number;
}

/**
 * Times requests over so many connections, each of which sends its next one when it has its answer.
 * @throws {Error} if an answer has another status than it must have
 */
export async function timeRequests(
  port: number,
  requests: readonly TimedRequest[],
  { times, seconds, connections = 1 }: Duration & { connections?: number },
): Promise<Timing> {
  const opened = await Promise.all(Array.from({ length: connections }, () => KeptConnection.open(port)));
  const answers: Answer[] = [];
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
          const answer = await connection.exchange(request.bytes);
          if (answer.status !== request.status)
            throw new Error(
              `A request got ${answer.status}, not ${request.status}:\n${request.bytes.toString().split('\r\n')[0]}`,
            );
          answers.push(answer);
        }
      }),
    );
  } finally {
    for (const connection of opened) connection.close();
  }
  const milliseconds = answers.map((answer) => answer.milliseconds);
  return {
    p50: percentile(milliseconds, 0.5),
    p99: percentile(milliseconds, 0.99),
    times: answers.length,
    requestsPerSecond: (answers.length / (performance.now() - startedAt)) * 1000,
    bodyBytes: answers.reduce((most, { bodyBytes }) => Math.max(most, bodyBytes), 0),
  };
}
