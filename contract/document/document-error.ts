/** A document that cannot be read or modelled. Its message lists every fault, one a line. */
export class DocumentError extends Error {
  /** Each as `file:line: what is wrong; what to write instead`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'DocumentError';
    this.faults = faults;
  }
}
