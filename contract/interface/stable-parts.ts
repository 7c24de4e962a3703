import type { HttpResponse } from '../run/model.ts';

/** The headers that depend only on the content of a response, not on how or when it was sent. */
const stableHeaders = ['content-type', 'cache-control', 'allow', 'www-authenticate'];

/** The fields of a case that change while its files are analysed. */
const movedByAnalysis = ['files', 'file_analysis_status', 'file_analysis_completed_at', 'updated_at'];

/** The parts of a response that are determined by the request and the stored data, by name. */
export function stablePartsOf({ status, headers, text }: HttpResponse): Record<string, string | undefined> {
  const chosen = stableHeaders.map((name) => [name, headers[name]] as const);
  return { status: String(status), body: stableBody(text), ...Object.fromEntries(chosen) };
}

const comparisons = 3;

/**
 * The parts in which two responses differ each time. What a gateway adds to single responses, or changes with each, such as
 * Server-Timing and CF-Ray, is none of them.
 */
export async function lastingDifferences(
  one: () => Promise<HttpResponse>,
  other: () => Promise<HttpResponse>,
  differences: (a: HttpResponse, b: HttpResponse) => string[],
): Promise<string[]> {
  let previous = await one();
  let lasting: string[] | undefined;
  for (let compared = 0; compared < comparisons && lasting?.length !== 0; compared += 1) {
    const [same, changed] = [await one(), await other()];
    const varying = differences(previous, same);
    const found = differences(same, changed).filter((part) => !varying.includes(part));
    lasting = lasting?.filter((part) => found.includes(part)) ?? found;
    previous = same;
  }
  return lasting ?? [];
}

/** The body, without fields that a pending analysis may change at any time. */
function stableBody(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    if (body['file_analysis_status'] !== 'waiting_for_file_analysis') return text;
    return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => !movedByAnalysis.includes(name))));
  } catch {
    return text;
  }
}
