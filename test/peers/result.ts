/** What a tool has said of a server. */
export interface PeerResult {
  readonly peer: string;
  readonly version: string;
  /** The mutant or harmless variant; `none` is the server as it is. */
  readonly server: string;
  /** The tool's first complaint, if it has one. */
  readonly complaint?: string;
  /** Why there is no verdict. */
  readonly problem?: string;
  readonly requests: number;
  readonly seconds: number;
}
