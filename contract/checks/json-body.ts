import { isJson } from '../conformance/media-type.ts';
import type { Operation, Schema } from '../document/model.ts';
import type { Headers } from './credential-scheme.ts';
import { type Oracle, oracleOf } from './schema/oracle.ts';
import { sampleOf } from './schema/sample.ts';

/** The request body of an operation: its schema, a valid example, and how its values are sent. */
export interface SchemaBody {
  readonly schema: Schema;
  readonly valid: unknown;
  readonly text: string;
  /** The header that describes the body. */
  readonly content: Headers;
  /** Whether the value is made from the schema, because the document has no example. */
  readonly isGuessed: boolean;
  readonly required: boolean;
  /** What a value is sent as; undefined if it cannot be sent, or the server could read another value in it. */
  readonly textOf: (value: unknown) => string | undefined;
  /** The value that the server reads in a text. */
  readonly valueOf: (text: string) => unknown;
}

/** A body of JSON, in which every value can be sent. */
export interface JsonBody extends SchemaBody {
  readonly textOf: (value: unknown) => string;
  /** Whether a body is within the operation's size limit. */
  readonly fits: (body: string | Buffer) => boolean;
  readonly faultsOf: Oracle;
}

/** The JSON body that the operation documents, if its example is valid. @param mayGuess if there is no example */
export function jsonBodyOf({ requestBody }: Operation, mayGuess = false): JsonBody | undefined {
  const [mediaType, media] = Object.entries(requestBody?.content ?? {}).find(([type]) => isJson(type)) ?? [];
  if (!requestBody || mediaType === undefined || !media) return undefined;
  const { schema } = media;
  const example = Object.values(media.examples)[0]?.value ?? schema.example;
  const isGuessed = example === undefined && mayGuess;
  const valid = isGuessed ? sampleOf(schema) : example;
  const faultsOf = oracleOf(schema);
  if (faultsOf(valid).length > 0) return undefined;
  const content: Headers = [['Content-Type', mediaType]];
  const fits = (body: string | Buffer) => Buffer.byteLength(body) <= requestBody.maxBytes;
  return {
    schema,
    valid,
    text: JSON.stringify(valid),
    content,
    isGuessed,
    required: requestBody.required,
    textOf: JSON.stringify,
    valueOf: JSON.parse,
    fits,
    faultsOf,
  };
}
