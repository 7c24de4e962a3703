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
