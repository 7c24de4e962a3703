import type { DocumentedError, DocumentedResponse, Example } from './model.ts';
import type { RawDocument } from './raw.ts';

/** The errors of a document: those that its examples show, and those that it lists apart. */
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

/** The error that the example of a response shows, if it shows one. */
export function errorOf(status: string, example: Example): readonly [string, DocumentedError] | undefined {
  const { error_code: code, error_message: message } = (example.value ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return [code, { status: Number(status), message }];
}
