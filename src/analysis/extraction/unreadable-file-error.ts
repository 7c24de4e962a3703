import type { AnalysisFailure } from '../../domain/analysis.ts';

/** A file whose text cannot be read; it says why for people and for programs. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly failure: AnalysisFailure;

  constructor(code: AnalysisFailure['code'], message: string) {
    super(message);
    this.failure = { code, message };
  }
}
