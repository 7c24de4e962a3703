/** The maximum number of reported faults; reading stops when it is reached. */
export const mostFaults = 20;

/** A fault in a file. `place` is the line, preceded by the file's name if the register has several. */
export interface BulkFileFault {
  place: string;
  message: string;
}

/** A register's file has faults. */
export class BulkFileError extends Error {
  override readonly name = 'BulkFileError';
  /** The first faults, in the order of the file. */
  readonly faults: readonly BulkFileFault[];

  constructor(faults: readonly BulkFileFault[]) {
    super(faults.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.faults = faults;
  }
}
