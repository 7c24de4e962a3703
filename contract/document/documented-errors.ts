import type { DocumentedError, DocumentedResponse, Example } from './model.ts';
import type { RawDocument } from './raw.ts';

/** The errors of a document: those in its examples, and those in `x-error-codes`. */
export function errorsOf(
  listed: RawDocument['x-error-codes'] = {},
  responses: readonly Readonly<Record<string, DocumentedResponse>>[],
): Record<string, DocumentedError> {
  const shown = responses.flatMap((byStatus) =>
    Object.entries(byStatus).flatMap(([status, { content }]) =>
      Object.values(content).flatMap(({ examples }) =>
        Object.values(examples).map((example) => errorOf(status, example)),
      ),
    ),
  );
  const apart = Object.entries(listed).map(
    ([code, { status, error_message: message }]) => [code, { status, message }] as const,
  );
  const sorted = [...apart, ...shown.filter((error) => error !== undefined)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return Object.fromEntries(sorted);
}

/** The error in the example of a response; undefined if the example is not an error. */
export function errorOf(status: string, example: Example): readonly [string, DocumentedError] | undefined {
  const { error_code: code, error_message: message } = (example.value ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return [code, { status: Number(status), message }];
}
