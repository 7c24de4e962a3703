import type { ApiDocument } from '../../contract/document/index.ts';

/** The text of generated/errors.ts: every error code of the document with its status and message. */
export function errorsSource({ errors }: ApiDocument): string {
  return `/** Every error that the API can respond with, by its code. */
export const errors = ${JSON.stringify(errors, null, 2)} as const;

/** An error code of the document. */
export type ErrorCode = keyof typeof errors;
`;
}
