import type { ApiDocument } from '../document/model.ts';

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

/** How strictly to treat fields and codes that the document does not list. */
export interface ConformanceOptions {
  /**
   * For targets that extend the contract: accepts unknown fields and error codes. In other APIs they are always
   * accepted.
   */
  readonly allowExtraFields: boolean;
  /** The document to check against; by default the project's own. */
  readonly document?: ApiDocument;
}

/** The header by which the mock says what it does not do. */
export const mockHeader = 'X-Mock-Accepts';

/** Whether a response is the mock's. */
export function isMocked({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers[mockHeader.toLowerCase()] !== undefined;
}
