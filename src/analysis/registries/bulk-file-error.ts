/** The maximum number of faults that are reported; then the file is not read any further. */
export const mostFaults = 20;

/** What is wrong with a file; `place` is a line of it, behind its name if the register has several. */
export interface BulkFileFault {
  place: string;
  message: string;
}

/** A file is not what it should be. */
export class BulkFileError extends Error {
  override readonly name = 'BulkFileError';
  /** The first of them, in the order of the file. */
  readonly faults: readonly BulkFileFault[];

  constructor(faults: readonly BulkFileFault[]) {
    super(faults.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.faults = faults;
  }
}
