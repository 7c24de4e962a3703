/** The words of the contract suite: targets, checks, exchanges and results. */
import type { HttpResponse } from '../conformance/response.ts';
import type { ApiDocument } from '../document/model.ts';

export type { HttpResponse };

/** What a tester needs of a target, in the form that `document-analysis demo --json` prints. Any part may be missing. */
export interface Credentials {
  base_url: string;
  case_base_url: string;
  region?: string;
  owner_key?: string;
  member_key?: string;
  viewer_key?: string;
  revoked_key?: string;
  feature_off_key?: string;
  access_token?: string;
  case_id?: string;
  other_access_token?: string;
  other_case_id?: string;
  empty_case_id?: string;
}

/** A credential or identifier that a check cannot do without. */
export type CredentialName = Exclude<keyof Credentials, 'base_url' | 'case_base_url' | 'region'>;

/** An entry of the target's audit log, as `document-analysis audit list --json` prints it. */
export interface AuditEntry {
  id: string;
  occurred_at: string;
  organisation_id: string;
  credential_id: string;
  action: string;
  before: { enabled: boolean };
  after: { enabled: boolean };
  request_id: string;
  cleared: number;
}

/** What only the operator of a target can do; the suite has it for its own server alone. */
export interface Operator {
  /** The newest first. */
  listAuditEntries(): Promise<AuditEntry[]>;
  /** Gives an organisation a cached analysis result to clear, and returns how many it has now. */
  saveCachedResults(organisation?: 'of owner_key' | 'another'): Promise<number>;
  /** What the store knows a secret by. */
  identify(secret: string): Promise<{ organisation_id: string; credential_id: string }>;
  /** A case as it must be returned. */
  readCase(caseId: string): Promise<object>;
  /** Makes every request of the API fail inside the server until the returned function is called. */
  breakStore(): () => void;
}

/** Beside credentials: acting as the operator, and using up a rate limit. */
export type Capability = 'operator' | 'exhausting-limits';

export type Need = CredentialName | Capability;

/** A server under test. */
export interface Target {
  readonly credentials: Credentials;
  readonly operator?: Operator;
  readonly mayExhaustLimits: boolean;
  /** How many requests a credential has in a window, if the suite has decided it itself. */
  readonly requestQuota?: number;
  close(): Promise<void>;
}

/** A request to send. Headers are a list, because some checks send one twice. */
export interface RequestSpec {
  readonly method: string;
  /** Path and query. Which base address it belongs to follows from the document. */
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** A request with its response, and every way in which that response breaks the document. */
export interface Exchange {
  readonly request: RequestSpec;
  readonly url: string;
  readonly response?: HttpResponse;
  readonly violations: readonly string[];
}

export type Layer = 'replay' | 'rules' | 'generated';

/** One promise that is held against the target. */
export interface Check {
  /** Unique and stable, as in `4.2-R1.enabled-missing`. */
  readonly id: string;
  readonly layer: Layer;
  /** What is promised, in one sentence. */
  readonly title: string;
  /** The rules of the interface document that it shows, by their ids. */
  readonly rules: readonly string[];
  readonly needs: readonly Need[];
  /** Rejects with a readable message if the promise is broken. Responses that break the document count by themselves. */
  run(context: CheckContext): Promise<void>;
}

/** What a check works with. */
export interface CheckContext {
  readonly credentials: Credentials;
  readonly operator: Operator | undefined;
  readonly seed: number;
  /** What is checked against; by default the project's own document. */
  readonly document?: ApiDocument;
  /** Sends a request and checks the response, whatever it is, against the document. */
  call(request: RequestSpec): Promise<HttpResponse>;
  /** The value of a credential that the check needs. */
  credential(name: CredentialName): string;
}

export type Outcome = 'passed' | 'failed' | 'not run';

/** What became of a check. */
export interface CheckResult {
  readonly check: Pick<Check, 'id' | 'layer' | 'title' | 'rules'>;
  readonly outcome: Outcome;
  /** Why it was not run. */
  readonly reason?: string;
  readonly failures: readonly Failure[];
  readonly exchanges: number;
  readonly durationSeconds: number;
}

/** One broken promise: what was found, and the request that shows it as a line of curl with secrets masked. */
export interface Failure {
  readonly message: string;
  readonly curl?: string;
  readonly response?: string;
}

/** A rule of the interface document with what the run has shown of it. */
export interface RuleResult {
  readonly id: string;
  readonly statement: string;
  readonly checks: readonly string[];
  readonly outcome: Outcome;
}

/** A whole run. */
export interface Report {
  readonly target: string;
  /** The version of the document that was checked against. */
  readonly version: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly seed: number;
  readonly results: readonly CheckResult[];
  readonly rules: readonly RuleResult[];
  /** What went wrong with the run itself, in place of a check. */
  readonly problems: readonly string[];
  readonly conforms: boolean;
}

/** What a run tells while it goes on. */
export interface Progress {
  onStart?(id: string, done: number, total: number): void;
  onResult(result: CheckResult, done: number, total: number): void;
  onNotice(message: string): void;
}
