/** Whether the servers do the same work: a wrong response would make any comparison worthless. */
import { isDeepStrictEqual } from 'node:util';
import type { BenchData } from './dataset/make-data.ts';
import type { BenchRequest, Workload } from './load/workloads.ts';
import type { BenchServer } from './servers.ts';

/** What a server sent to one request. */
export interface CheckedResponse {
  readonly request: BenchRequest;
  readonly status: number;
  readonly body: unknown;
  readonly headers: readonly string[];
  /** Of all lines of the head together, as a client gets them over one kept connection. */
  readonly headBytes: number;
}

/** The responses to so many requests of a workload are compared: of the mix, each kind. */
const comparedRequests = 60;

/** Asks a server what a workload asks, and gives its responses in the order of the requests. */
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
 * @throws {Error} naming the first response that differs
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

/** The first requests, each once. */
function distinct(requests: readonly BenchRequest[]): BenchRequest[] {
  return [
    ...new Map(requests.slice(0, comparedRequests).map((request) => [JSON.stringify(request), request])).values(),
  ];
}

function excerpt(body: unknown): string {
  const text = JSON.stringify(body);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
