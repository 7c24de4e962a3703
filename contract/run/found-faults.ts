import type { HttpResponse, RequestSpec } from './model.ts';

/** A request of a check, and its response if one came. */
export interface Shown {
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
  override readonly name = 'FoundFaults';
  readonly faults: readonly FoundFault[];

  constructor(faults: readonly FoundFault[]) {
    super(faults[0]?.message);
    this.faults = faults;
  }
}
