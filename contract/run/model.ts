/** The types of the contract suite: targets, checks, exchanges and results. */
import type { HttpResponse, Violation } from '../oracle/messages.ts';
import type { ApiDocument } from '../document/model.ts';
import type { AuditEntry, CachedFor, Operator } from '../operator/open-operator.ts';
import type { PlainRequest, Wire } from './wire.ts';

export type { AuditEntry, CachedFor, HttpResponse, Operator };

type Key = 'owner' | 'member' | 'viewer' | 'revoked' | 'revocable' | 'expired' | 'other_owner' | 'feature_off';
type Token = 'access' | 'other_access' | 'revoked' | 'revocable' | 'expired';

/** A credential or identifier that a check can require. The operator may revoke the revocable ones during the run. */
export type CredentialName = `${Key}_key` | `${Token}_token` | `${'' | 'other_' | 'empty_'}case_id`;

/** The credentials and identifiers of a target, as `document-analysis demo --json` prints them. Any may be absent. */
export interface Credentials extends Partial<Record<CredentialName, string>> {
  base_url: string;
  case_base_url: string;
  region?: string;
  /** Further credentials with the same rights as one of those above, each with a limit of its own. */
  spares?: Readonly<Record<string, readonly string[]>>;
  connection?: Connection;
}

export interface Connection {
  /** Sent with every request, for a gateway in front of the target. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The certificates of the authorities to trust, as PEM, in place of those that Node.js trusts. */
  readonly ca?: { readonly file: string; readonly pem: string };
  /** Whether the target's certificate is accepted unchecked. */
  readonly insecure: boolean;
}

/** What a check needs: credentials, to act as the operator, to use up a rate limit. */
export type Need = CredentialName | 'operator' | 'exhausting-limits';

export type LimitedBy = CredentialName | 'address';

/** A server under test. */
export interface Target {
  readonly credentials: Credentials;
  readonly operator?: Operator;
  readonly mayExhaustLimits: boolean;
  /** Whether it responds with the examples of the document. */
  readonly respondsWithExamples?: boolean;
  readonly close: () => Promise<void>;
}

/** A request to send, and how. */
export interface RequestSpec extends PlainRequest {
  /** The request line to send verbatim, where no HTTP client would write it: HTTP/1.0, or malformed. */
  readonly requestLine?: string;
  /** How its bytes travel, if not as an HTTP client sends them. */
  readonly wire?: Wire;
}

/** A request with its response, and every way in which that response breaks the document. */
export interface Exchange {
  readonly request: RequestSpec;
  readonly url: string;
  readonly response?: HttpResponse;
  readonly violations: readonly Violation[];
}

export const layers = ['replay', 'rules', 'explored', 'generated', 'conformance'] as const;
export type Layer = (typeof layers)[number];

/** Who promises what a check is about: the interface document, the OpenAPI document, or a decision where both are silent. */
export const sources = ['interface', 'document', 'decision'] as const;
export type Source = (typeof sources)[number];

/** One promise that the target is checked against. */
export interface Check {
  /** Unique and stable, as in `4.2-R1.enabled-missing`. */
  readonly id: string;
  readonly layer: Layer;
  /** The operationId of the one operation that it is about. */
  readonly operation?: string;
  readonly source: Source;
  readonly title: string;
  /** The rules of the interface document that it shows, by their ids. */
  readonly rules: readonly string[];
  readonly needs: readonly Need[];
  /** Whether all that it sends are safe requests, so that it may run beside others like it. */
  readonly readsOnly?: boolean;
  /** Whether its share of the requests of a run allows that it is asked in other ways, too. */
  readonly mayRunAgain?: () => boolean;
  /** Whether it waits for long, and minds nothing that other checks do: those after it do not wait for it. */
  readonly runsBeside?: boolean;
  /** Whether what it sends beside reads is refused, so that it changes nothing. */
  readonly isRefused?: boolean;
  /** Whether each request may use another credential with the same rights, so that no limit holds it up. */
  readonly usesSpares?: boolean;
  /** Whether it runs again with its requests asked in every way that changes nothing. */
  readonly inAllWays?: boolean;
  /** The path whose resource it may remove, so that it runs after the checks that need the resource. */
  readonly removes?: string;
  /** Set if all that it sends must fail to authenticate; of `variants` of one promise, some are enough. */
  readonly failsToAuthenticate?: 'once' | 'variants';
  /** Whose limit it uses up: it runs last, after those of the same limit. */
  readonly usesUp?: LimitedBy;
  /** Values in its requests that the suite had to guess. */
  readonly guessed?: readonly Guess[];
  readonly cannotRun?: string;
  /** Rejects with a readable message if this promise is broken. Violations of the document are reported by `conformance`. */
  run(context: CheckContext): Promise<void>;
}

/** A value that the suite had to guess, and the statuses by which a server may rightly refuse it. */
export interface Guess {
  readonly what: string;
  readonly statuses: readonly number[];
}

/** What a check works with. */
export interface CheckContext {
  readonly credentials: Credentials;
  readonly allCredentials?: Credentials;
  readonly operator: Operator | undefined;
  readonly respondsWithExamples?: boolean;
  readonly seed: number;
  /** The number of the way in which a check that has passed is asked again. */
  readonly way?: number;
  /** Ends when all checks have run that do not run beside others. */
  readonly others?: Promise<unknown> | undefined;
  /** What is checked against; by default the project's own document. */
  readonly document?: ApiDocument;
  /** Sends a request. Violations of the document in the response are reported by the layer `conformance`. */
  call(request: RequestSpec): Promise<HttpResponse>;
  credential(name: CredentialName): string;
  /** Another credential with the same rights, if there is one: that of which most is left. */
  spare?(name: CredentialName): string | undefined;
  /** Adds a measurement to the report, whether or not the check passes. */
  tell(measured: string): void;
}

/** A known failure is one that the file of --baseline names. */
export type Outcome = 'passed' | 'failed' | 'known failure' | 'not run';

/** The result of a check. */
export interface CheckResult {
  readonly check: Pick<Check, 'id' | 'layer' | 'source' | 'operation' | 'title' | 'rules'>;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly failures: readonly Failure[];
  readonly measured?: string;
  /** How many exchanges it made; of the layer `conformance`, how many it has seen. */
  readonly exchanges: number;
  readonly durationSeconds: number;
}

/** One broken promise: what was found, and the exchange that shows it, with secrets masked. */
export interface Failure {
  readonly message: string;
  /** In how many exchanges it was found, of which the first is shown; absent if in that one alone. */
  readonly count?: number;
  /** Repeats the request, as a line for a shell. */
  readonly curl?: string;
  /** Repeats the last request before it that may have changed something. */
  readonly beforeCurl?: string;
  /** The same request without what makes it fail, which gets the right response. */
  readonly rightCurl?: string;
  readonly request?: string;
  readonly response?: string;
}

/** A rule of the interface document, or a decision, with what the run has shown of it. */
export interface RuleResult {
  readonly id: string;
  readonly source: Source;
  readonly statement: string;
  readonly checks: readonly string[];
  readonly outcome: Outcome;
  /** Why it was not shown, if none of its checks was run. */
  readonly reason?: string;
}

/** A whole run. */
export interface Report {
  readonly target: string;
  /** The file of the document that was checked against, if it is not the project's own. */
  readonly documentFile?: string;
  readonly title: string;
  readonly version: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly seed: number;
  readonly promises: readonly Source[];
  readonly results: readonly CheckResult[];
  readonly rules: readonly RuleResult[];
  /** What went wrong with the run itself, rather than with a check. */
  readonly problems: readonly string[];
  /** Whether everything checked conforms, except known failures, and the run itself had no problems. */
  readonly conforms: boolean;
}

/** Called while a run is in progress. */
export interface Progress {
  onStart?(id: string, done: number, total: number): void;
  onResult(result: CheckResult, done: number, total: number): void;
  /** A promise of the document is broken for the first time; its result is known at the end of the run. */
  onViolation?(checkId: string): void;
  onNotice(message: string): void;
}
