import type { CredentialName } from '../run/model.ts';

/** The request and the preconditions of one documented response. */
export interface Scenario {
  /** The credential to send in the operation's security scheme. */
  readonly credential?: CredentialName;
  /** Sent instead of a credential of the target; an empty string sends none. */
  readonly secret?: string;
  /** Path parameters whose value is a credentials entry. Others have a valid value. */
  readonly identifiers?: Readonly<Record<string, CredentialName>>;
  /** Path parameters with a URL-encoded value. */
  readonly path?: Readonly<Record<string, string>>;
  /** The query, instead of the valid one. */
  readonly query?: string;
  /** Header parameters that replace or supplement the valid ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header parameters to omit. */
  readonly without?: readonly string[];
  readonly contentType?: string;
  readonly body?: string;
  readonly given?: 'exhausted-quota' | 'broken-store' | 'disconnected-store' | 'repeated';
  /** The expected status code for a range or `default`. */
  readonly status?: number;
  /** Other statuses with which the server may rightly respond; the check is then not run. */
  readonly insteadOf?: readonly number[];
  /** The named example of the document that the response's body must equal. */
  readonly example?: string;
}

/** Why a response cannot be provoked with only the document and the credentials. */
export interface NotProvokable {
  readonly notProvokable: string;
}
