import type { AnalysisFailure } from '../../domain/analysis.ts';

/** The text of a file cannot be read. Its `failure` states the reason for people and for programs. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly failure: AnalysisFailure;

  constructor(code: AnalysisFailure['code'], message: string) {
    super(message);
    this.failure = { code, message };
  }
}
