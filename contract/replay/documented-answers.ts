import { documentedOperations, type Schema } from '../document/document.ts';

/** One answer that the document says an operation can give. */
export interface DocumentedAnswer {
  /** As in `getCase.404`. */
  readonly label: string;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** A status code, or `default`. */
  readonly status: string;
  readonly bodySchema: Schema;
  /** The names, in lower case, of the headers that it must have. */
  readonly requiredHeaders: readonly string[];
  /** The bodies of the named examples. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** Every answer of every operation of the document. */
export const documentedAnswers: readonly DocumentedAnswer[] = documentedOperations.flatMap(
  ({ operationId, method, path, responses }) =>
    Object.entries(responses).map(([status, { headers, content }]) => {
      const { schema = {}, examples = {} } = content['application/json'] ?? {};
      return {
        label: `${operationId}.${status}`,
        operationId,
        method: method.toUpperCase(),
        path,
        status,
        bodySchema: schema,
        requiredHeaders: Object.entries(headers)
          .filter(([, { required }]) => required)
          .map(([name]) => name.toLowerCase()),
        examples: Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value])),
      };
    }),
);
