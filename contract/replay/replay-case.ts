import { isJson } from '../oracle/body.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';

/** A documented response of an operation. */
export interface ReplayCase {
  /** Such as `getCase.404`. */
  readonly label: string;
  readonly operation: Operation;
  /** A status code, or `default`. */
  readonly status: string;
  /** Absent if the response has no JSON body. */
  readonly bodySchema: Schema | undefined;
  /** The required headers, in lower case. */
  readonly requiredHeaders: readonly string[];
  /** The bodies of the named examples. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** Every response of every operation of the document. */
export function replayCases({ operations }: ApiDocument): ReplayCase[] {
  return operations.flatMap((operation) =>
    Object.entries(operation.responses).map(([status, { headers, content }]) => {
      const [, json] = Object.entries(content).find(([mediaType]) => isJson(mediaType)) ?? [];
      return {
        label: `${operation.operationId}.${status}`,
        operation,
        status,
        bodySchema: json?.schema,
        requiredHeaders: Object.entries(headers)
          .filter(([, { required }]) => required)
          .map(([name]) => name.toLowerCase()),
        examples: Object.fromEntries(Object.entries(json?.examples ?? {}).map(([name, { value }]) => [name, value])),
      };
    }),
  );
}
