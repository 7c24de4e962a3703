/** The parts of the contract that a request or a response can violate. */
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

/** A violation of the document. The message repeats no value of a header or a field. */
export interface Violation {
  readonly rule: ContractRule;
  /** For the rule `header`: the header, as documented. */
  readonly header?: string;
  readonly message: string;
}
