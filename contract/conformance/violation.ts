/** What of the contract a request or a response can break. */
export type ContractRule =
  | 'path'
  | 'method'
  | 'credential'
  | 'parameter'
  | 'media type'
  | 'status'
  | 'header'
  | 'body'
  | 'error code'
  | 'relation'
  | 'saved value';

/** One way in which a request or a response breaks the document. The message repeats no value of a header or a field. */
export interface Violation {
  readonly rule: ContractRule;
  /** The header that breaks the rule `header`, as the document spells it. */
  readonly header?: string;
  readonly message: string;
}
