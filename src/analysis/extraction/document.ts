import type { AnalysisFailure, Detail } from '../../domain/analysis.ts';
import type { ComparableText } from '../details/names-company.ts';

/** The text of a file cannot be read. Its `failure` states the reason for people and for programs. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly failure: AnalysisFailure;

  constructor(code: AnalysisFailure['code'], message: string) {
    super(message);
    this.failure = { code, message };
  }
}

/** The outcome of reading a file. */
export type ReadDocument =
  | {
      outcome: 'text';
      /** Null for a file without pages. */
      pages: number | null;
      characters: number;
      details: Detail[];
      /** For `namesCompany`; empty without details. */
      comparableText: ComparableText;
    }
  /** An image, or a file without any text; `pages` is null for a file without pages. */
  | { outcome: 'no_text'; pages: number | null }
  /** The cause of an internal error is for the log only: it may contain parts of the content. */
  | { outcome: 'failed'; failure: AnalysisFailure; cause?: string };

/** The maximum content of a document; a document that exceeds it is rejected, not read in part. */
export interface ContentLimits {
  pages: number;
  characters: number;
}

/** The maximum length of a document's comparable text in UTF-8: 5,000,000 characters of nearly any script. */
export const mostBytesOfText = 16 * 2 ** 20;

/** How to read a file, and how much of it. */
export interface ReadDocumentOrder {
  mediaType: string;
  limits: ContentLimits;
}
