import type { CredentialName } from '../run/model.ts';

/** What a request must be, and what must be so beforehand, for one documented response. */
export interface Scenario {
  /** The credential that is sent in the operation's security scheme. */
  readonly credential?: CredentialName;
  /** Sent in place of a credential of the target; the empty text sends none. */
  readonly secret?: string;
  /** What stands in the path, by the parameter: a credentials entry. Others have a valid value. */
  readonly identifiers?: Readonly<Record<string, CredentialName>>;
  /** What stands in the path, by the parameter, ready for it. */
  readonly path?: Readonly<Record<string, string>>;
  /** The query in place of the valid one. */
  readonly query?: string;
  /** Header parameters, in place of the valid ones and beside them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header parameters that are left out. */
  readonly without?: readonly string[];
  readonly contentType?: string;
  readonly body?: string;
  readonly given?: 'exhausted-quota' | 'broken-store' | 'disconnected-store' | 'repeated';
  /** The status code that stands for a range or `default`. */
  readonly status?: number;
  /** Other statuses with which the server may rightly respond, so that it has not shown this response. */
  readonly insteadOf?: readonly number[];
  /** The named example of the document that the response's body must equal. */
  readonly example?: string;
}

/** Why a response cannot be provoked by anybody who knows the document and the credentials alone. */
export interface NotProvokable {
  readonly notProvokable: string;
}
