/** A document that cannot be read or modelled. The message lists every fault on a line of its own. */
export class DocumentError extends Error {
  /** Each as `file:line: the fault; what to write instead`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'DocumentError';
    this.faults = faults;
  }
}
