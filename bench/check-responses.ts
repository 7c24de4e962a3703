/** Checks that the servers do the same work: a wrong response would invalidate any comparison. */
import { isDeepStrictEqual } from 'node:util';
import type { BenchData } from './dataset/make-data.ts';
import type { BenchRequest, Workload } from './load/workloads.ts';
import type { BenchServer } from './servers.ts';

/** A server's response to one request. */
export interface CheckedResponse {
  readonly request: BenchRequest;
  readonly status: number;
  readonly body: unknown;
  readonly headers: readonly string[];
  /** The size of all header lines, as sent to a client over one persistent connection. */
  readonly headBytes: number;
}

/** How many requests of a workload are compared; enough for every kind in the mix. */
const comparedRequests = 60;

/** Sends a workload's requests to a server, and returns the responses in their order. */
export async function responsesOf(origin: string, workload: Workload, data: BenchData): Promise<CheckedResponse[]> {
  const responses: CheckedResponse[] = [];
  for (const request of distinct(workload.requestsOf(0, data))) {
    const { method, path, headers, body } = request;
    const response = await fetch(origin + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    const content: unknown = await response.json();
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
    const headBytes = Buffer.byteLength(lines.join(''));
    responses.push({
      request,
      status: response.status,
      body: content,
      headers: [...response.headers.keys()],
      headBytes,
    });
  }
  return responses;
}

/**
 * Compares the responses of a server with the expected ones.
 * @throws {Error} if a response differs; the message names the first one
 */
export function requireSameResponses(
  server: BenchServer,
  responses: readonly CheckedResponse[],
  expected: readonly CheckedResponse[],
): void {
  responses.forEach(({ request, status, body, headers }, index) => {
    const refuse = (what: string) => {
      throw new Error(`The server ${server.name} responds wrongly to ${request.method} ${request.path}: ${what}`);
    };
    const right = server.statuses?.[request.status] ?? request.status;
    if (status !== right) refuse(`status ${status}, not ${right}: ${excerpt(body)}`);
    const missing = server.headers.find((name) => !headers.some((header) => name.test(header)));
    if (missing) refuse(`no header ${String(missing)} among ${headers.join(', ')}`);
    const wanted = expected[index]?.body;
    if (!server.statuses && !isDeepStrictEqual(body, wanted))
      refuse(`${excerpt(body)}, where ${excerpt(wanted)} is expected`);
  });
}

/** The first requests, without duplicates. */
function distinct(requests: readonly BenchRequest[]): BenchRequest[] {
  return [
    ...new Map(requests.slice(0, comparedRequests).map((request) => [JSON.stringify(request), request])).values(),
  ];
}

function excerpt(body: unknown): string {
  const text = JSON.stringify(body);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
