import { oracleOf } from '../checks/schema/oracle.ts';
import { sampleOf } from '../checks/schema/sample.ts';
import { isJson } from '../conformance/media-type.ts';
import type { ApiDocument, DocumentedResponse, Operation, Schema } from '../document/model.ts';

/** A documented example of a response. */
export interface DocumentedExample {
  readonly status: number;
  readonly name: string;
  /** Absent if the response has no body. */
  readonly mediaType?: string;
  readonly body?: unknown;
  /**
   * The examples of the response's headers; for a required header without one, a value is generated from its schema.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** Every example of every operation, by operationId, in the order of the document. */
export function documentedExamples({ operations }: ApiDocument): ReadonlyMap<string, readonly DocumentedExample[]> {
  return new Map(operations.map((operation) => [operation.operationId, examplesOf(operation.responses)]));
}

/** The examples of final responses, by status; interim responses are skipped. */
export function examplesOf(responses: Operation['responses']): DocumentedExample[] {
  return Object.entries(responses)
    .filter(([documented]) => statusOf(documented) >= 200)
    .flatMap(([documented, response]) =>
      shownBy(response).map((example) => ({
        ...example,
        status: statusOf(documented),
        headers: exampleHeaders(response),
      })),
    );
}

/** The named examples, JSON first. A response without any gets one from its schema, or only its status. */
function shownBy({ content }: DocumentedResponse): ShownExample[] {
  const mediaTypes = Object.entries(content).sort(([a], [b]) => Number(isJson(b)) - Number(isJson(a)));
  if (mediaTypes.length === 0) return [{ name: 'example' }];
  return mediaTypes.flatMap(([mediaType, { examples, schema }]): ShownExample[] => {
    const named = Object.entries(examples).map(([name, { value: body }]) => ({ mediaType, name, body }));
    if (named.length > 0) return named;
    if (isJson(mediaType)) return madeOf(schema).map((body) => ({ mediaType, name: 'example', body }));
    return [
      { mediaType: mediaType.replace('*/*', 'application/octet-stream'), name: 'example', body: schema.example ?? '' },
    ];
  });
}

/** The schema's example, or a generated value: with all of its fields if that is valid, else with the required ones. */
function madeOf(schema: Schema): unknown[] {
  const isValid = (value: unknown) => value !== undefined && oracleOf(schema)(value).length === 0;
  return [sampleOf(schema, 'all'), sampleOf(schema)].filter(isValid).slice(0, 1);
}

type ShownExample = Pick<DocumentedExample, 'name' | 'mediaType' | 'body'>;

/** The status of a range is its first one, that of `default` is 500. */
function statusOf(documented: string): number {
  if (documented === 'default') return 500;
  return Number(documented.replace(/XX$/i, '00'));
}

function exampleHeaders({ headers }: DocumentedResponse): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, { example, schema, required }]) => {
      const value = example ?? schema.example ?? (required ? madeOf(schema)[0] : undefined);
      return value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );
}
