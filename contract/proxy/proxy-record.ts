import type { ContractRule } from '../conformance/violation.ts';

/** What of the contract traffic can break: beside what the document says, that a request gets a whole response. */
export type ProxyRule = ContractRule | 'no response';

/** One way in which a request or a response breaks the contract. */
export interface ProxyViolation {
  readonly rule: ProxyRule;
  readonly message: string;
}

/** A long list can break the contract once for each of its elements. */
export const mostViolations = 50;

/** A request or a response that has passed the proxy, in the form of its JSON output. */
export interface ProxyRecord {
  readonly type: 'request' | 'response';
  readonly time: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly operation_id: string | null;
  /** The response's; null in a request, and if there is no response. */
  readonly status: number | null;
  /** The `X-Request-Id` of the request, and of the response. */
  readonly request_id: string | null;
  /** The first of them, at most {@link mostViolations}. */
  readonly violations: readonly ProxyViolation[];
  readonly violations_left_out: number;
  /** Why the body was not checked against the document; null if it was. */
  readonly body_not_checked: string | null;
}
