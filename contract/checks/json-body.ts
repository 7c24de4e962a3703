import type { Operation, Schema } from '../document/model.ts';
import { type Oracle, oracleOf } from './schema/oracle.ts';

/** The request body of an operation: its schema, and a valid example. */
export interface JsonBody {
  readonly schema: Schema;
  readonly valid: unknown;
  readonly text: string;
  readonly required: boolean;
  /** Whether a text is within the largest body that the operation reads. */
  readonly fits: (body: string | Buffer) => boolean;
  readonly faultsOf: Oracle;
}

/** The JSON body that the operation documents, if its example is valid. */
export function jsonBodyOf({ requestBody }: Operation): JsonBody | undefined {
  const media = requestBody?.content['application/json'];
  if (!requestBody || !media) return undefined;
  const { schema } = media;
  const valid = Object.values(media.examples)[0]?.value ?? schema.example;
  const faultsOf = oracleOf(schema);
  if (faultsOf(valid).length > 0) return undefined;
  const fits = (body: string | Buffer) => Buffer.byteLength(body) <= requestBody.maxBytes;
  return { schema, valid, text: JSON.stringify(valid), required: requestBody.required, fits, faultsOf };
}
