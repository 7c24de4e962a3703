/** How the body of a success is given to the caller. */
export type ResponseForm =
  | { readonly as: 'none' }
  | { readonly as: 'json' }
  | { readonly as: 'text' | 'bytes'; readonly mediaTypes: readonly string[] };

/** What the client knows of an operation at run time. */
export interface Endpoint {
  /** In lower case. */
  readonly method: string;
  /** The path template, as in `/cases/{id}`. */
  readonly path: string;
  readonly base: 'baseUrl' | 'caseBaseUrl';
  /** In the order of the method's arguments, each with what `typeof` says of its values, or `any`. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, { readonly explode: boolean }>>;
  /** The names of the header parameters. */
  readonly headers?: readonly string[];
  /** Of the body, if there is one; all of them stand for the type of the Blob that is sent. */
  readonly requestMediaType?: string;
  /** Which media type of several is asked for. */
  readonly accept?: string;
  /** The successes, by status or range of statuses. */
  readonly responses: Readonly<Record<string, ResponseForm>>;
  readonly errorStatuses: readonly string[];
  /** Alternatives of credentials that are needed together; none for a public operation. */
  readonly security: readonly (readonly string[])[];
}
