import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';
import { isJson } from '../conformance/media-type.ts';

/** A response that the document shows. */
export interface DocumentedExample {
  readonly status: number;
  readonly name: string;
  /** Absent if the response has no body. */
  readonly mediaType?: string;
  readonly body?: unknown;
  /** The examples of the response's headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Every example of every operation, by operationId, in the order of the document. */
export function documentedExamples(document: ApiDocument): ReadonlyMap<string, readonly DocumentedExample[]> {
  return new Map(
    document.operations.map((operation) => [operation.operationId, examplesOf(document, operation.responses)]),
  );
}

/** The examples of responses by their status. */
export function examplesOf(document: ApiDocument, responses: Operation['responses']): DocumentedExample[] {
  return Object.entries(responses).flatMap(([documented, response]) => {
    const shown = Object.entries(response.content).flatMap(([mediaType, { examples, schema }]) => {
      const named = Object.entries(examples).map(([name, { value }]) => ({ mediaType, name, body: value }));
      return named.length > 0 || isJson(mediaType)
        ? named
        : [{ mediaType: mediaType.replace('*/*', 'application/octet-stream'), name: 'example', body: schema.example ?? '' }];
    });
    const examples = shown.length === 0 ? [{ name: 'example' }] : shown;
    return examples.map((example) => {
      const status = statusOf(document, documented, 'body' in example ? example.body : undefined);
      return { ...example, status, headers: exampleHeaders(response, status) };
    });
  });
}

/** An example of a default response tells its status by its error code. */
function statusOf(document: ApiDocument, documented: string, body: unknown): number {
  if (/^\d+$/.test(documented)) return Number(documented);
  if (/^\dXX$/i.test(documented)) return Number(documented.charAt(0)) * 100;
  const code = errorCodeOf(body);
  const elsewhere = [...document.operations.map(({ responses }) => responses), document.serviceResponses]
    .flatMap((responses) => Object.entries(responses))
    .find(([status, { content }]) => /^\d+$/.test(status) && showsCode(content, code));
  return elsewhere ? Number(elsewhere[0]) : /unavailable/.test(code ?? '') ? 503 : 500;
}

function showsCode(content: DocumentedResponse['content'], code: string | undefined): boolean {
  return Object.values(content)
    .flatMap(({ examples }) => Object.values(examples))
    .some(({ value }) => code !== undefined && errorCodeOf(value) === code);
}

function errorCodeOf(body: unknown): string | undefined {
  return (body as { error_code?: string } | null | undefined)?.error_code;
}

/** `Retry-After` belongs to 429 and 503 alone (decision D32), though the default response declares it for all. */
function exampleHeaders({ headers }: DocumentedResponse, status: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'Retry-After' || status === 429 || status === 503)
      .flatMap(([name, { example, schema }]) => {
        const value = example ?? schema.example;
        return value === undefined ? [] : [[name, String(value)]];
      }),
  );
}
