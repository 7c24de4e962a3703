import type { ApiDocument } from '../document/model.ts';

/** A response as it came over the wire; header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body before it was decoded; absent where nobody has kept it. */
  readonly bytes?: Buffer;
  /** The values of each header, one for each line on which it was sent; absent where nobody has kept them. */
  readonly fieldLines?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** How strict the suite is with fields and codes that the document does not know. */
export interface ConformanceOptions {
  /** For targets that extend the contract: unknown fields and unknown error codes are accepted. In other APIs they always are. */
  readonly allowExtraFields: boolean;
  /** The document to check against; by default the project's own. */
  readonly document?: ApiDocument;
}
