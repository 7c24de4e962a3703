/** Requests and responses as the oracle reads them, and what can be wrong with them. */

/** The fields of a header section: values by lower-case name. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

export interface ReceivedBody {
  readonly headers: HeaderFields;
  readonly bodyBytes: number;
  /** Undefined if it has not been kept; then its size alone is checked. */
  readonly body: Buffer | undefined;
}

/** A request as it came over the wire. */
export interface ReceivedRequest extends ReceivedBody {
  readonly method: string;
  readonly path: string;
}

/** A response as received; header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body before decoding; absent if it was not kept. */
  readonly bytes?: Buffer;
  /** The values of each header, one for each line on which it was sent; absent if they were not kept. */
  readonly fieldLines?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A violation of the document. The message repeats no value of a header or a field. */
export interface Violation {
  /** The part of the document that is violated, such as `status`, or a rule of own-api/response-rules.ts by its name. */
  readonly rule: string;
  /** For the rule `header`: the header, as documented. */
  readonly header?: string;
  readonly message: string;
}

export function broken(rule: string, messages: readonly string[]): Violation[] {
  return messages.map((message) => ({ rule, message }));
}

export function brokenHeader(header: string, messages: readonly string[]): Violation[] {
  return messages.map((message) => ({ rule: 'header', header, message }));
}
