import type { ContractRule } from '../oracle/documented-response.ts';

/** The rules that traffic can violate: those of the document, and that each request gets a complete response. */
export type ProxyRule = ContractRule | 'no response';

/** A violation of the contract in a request or a response. */
export interface ProxyViolation {
  readonly rule: ProxyRule;
  readonly message: string;
}

/** Limited, because a long list can have a violation in each of its elements. */
export const mostViolations = 50;

/** A request or a response that passed the proxy, in the format of the JSON output. */
export interface ProxyRecord {
  readonly type: 'request' | 'response';
  readonly time: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly operation_id: string | null;
  /** The status of the response; null in a request, and if there is no response. */
  readonly status: number | null;
  /** The `X-Request-Id` of the request, and of the response. */
  readonly request_id: string | null;
  /** The first violations, at most {@link mostViolations}. */
  readonly violations: readonly ProxyViolation[];
  readonly violations_left_out: number;
  /** Why the body was not checked against the document; null if it was. */
  readonly body_not_checked: string | null;
}
