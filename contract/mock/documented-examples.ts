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
export function documentedExamples({ operations }: ApiDocument): ReadonlyMap<string, readonly DocumentedExample[]> {
  return new Map(operations.map((operation) => [operation.operationId, examplesOf(operation.responses)]));
}

/** The examples of responses by their status. */
export function examplesOf(responses: Operation['responses']): DocumentedExample[] {
  return Object.entries(responses).flatMap(([documented, response]) =>
    shownBy(response).map((example) => ({
      ...example,
      status: statusOf(documented),
      headers: exampleHeaders(response),
    })),
  );
}

/** The named examples; a response without a JSON body that has none is shown by its schema, or by its status alone. */
function shownBy({ content }: DocumentedResponse): ShownExample[] {
  const mediaTypes = Object.entries(content);
  if (mediaTypes.length === 0) return [{ name: 'example' }];
  return mediaTypes.flatMap(([mediaType, { examples, schema }]): ShownExample[] => {
    const named = Object.entries(examples).map(([name, { value: body }]) => ({ mediaType, name, body }));
    if (named.length > 0 || isJson(mediaType)) return named;
    return [
      { mediaType: mediaType.replace('*/*', 'application/octet-stream'), name: 'example', body: schema.example ?? '' },
    ];
  });
}

type ShownExample = Pick<DocumentedExample, 'name' | 'mediaType' | 'body'>;

/** A range is shown by its first status, and `default` by a server's fault. */
function statusOf(documented: string): number {
  if (documented === 'default') return 500;
  return Number(documented.replace(/XX$/i, '00'));
}

function exampleHeaders({ headers }: DocumentedResponse): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, { example, schema }]) => {
      const value = example ?? schema.example;
      return value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );
}
