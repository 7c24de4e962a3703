/** The form in which the caller gets the body of a success. */
export type ResponseForm =
  | { readonly as: 'none' }
  | { readonly as: 'json' }
  | { readonly as: 'text' | 'bytes'; readonly mediaTypes: readonly string[] };

/** What the client knows about an operation at run time. */
export interface Endpoint {
  /** In lower case. */
  readonly method: string;
  /** The path template, such as `/cases/{id}`. */
  readonly path: string;
  readonly base: 'baseUrl' | 'caseBaseUrl';
  /** In the order of the method's arguments, each with the `typeof` of its values. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, { readonly explode: boolean }>>;
  /** The names of the header parameters. */
  readonly headers?: readonly string[];
  /** The media type of the body, if there is one. If it is the range of all types, the Blob's own type is sent. */
  readonly requestMediaType?: string;
  /** The media type to request, if there are several. */
  readonly accept?: string;
  /** The successes, by status. */
  readonly responses: Readonly<Record<string, ResponseForm>>;
  readonly errorStatuses: readonly string[];
  /** Alternatives of credentials that are required together; empty for a public operation. */
  readonly security: readonly (readonly string[])[];
}
