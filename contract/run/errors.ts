/** The ways in which a run, a check or a request ends without what it was meant to show. */
import type { HttpResponse, RequestSpec } from './model.ts';

/** The suite was called wrongly; the message says how. */
export class UsageError extends Error {}

/** Nothing can be checked: the target cannot be reached or started, is not this API, or refuses the credentials. */
export class UnusableTargetError extends Error {}

/** What a check has found to be missing while it ran, so that it is reported as not run. The message says what. */
export class UnmetPreconditionError extends Error {}

/** A request would have to wait for longer than the suite waits. */
export class LongWaitError extends Error {}

/** The target did not respond as HTTP: it could not be reached, hung, or broke off. */
export class NoResponseError extends Error {
  /** Whether a response had begun. */
  readonly begun: boolean;
  /** Whether it was waited for until its time was over. */
  readonly hung: boolean;
  /** Whether the request was sent; it is not once too many before it have got no response. */
  readonly sent: boolean;

  constructor(message: string, { begun = false, hung = false, sent = true } = {}) {
    super(message);
    this.begun = begun;
    this.hung = hung;
    this.sent = sent;
  }
}

/** A request of a check, and its response if one came. */
interface Shown {
  readonly request: RequestSpec;
  readonly response: HttpResponse | undefined;
}

/** A fault that a check has found, with what shows it, and what is right if the two are compared. */
export interface FoundFault {
  readonly message: string;
  readonly shown: Shown;
  readonly right?: Shown;
}

/** Several faults of one promise. */
export class FoundFaults extends Error {
  readonly faults: readonly FoundFault[];

  constructor(faults: readonly FoundFault[]) {
    super(faults[0]?.message);
    this.faults = faults;
  }
}
