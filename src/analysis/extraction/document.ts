import type { AnalysisFailure, Detail } from '../../domain/analysis.ts';
import type { ComparableText } from '../details/names-company.ts';

/** What was read of a file. */
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
  /** An image, or a file without any text; null for a file without pages. */
  | { outcome: 'no_text'; pages: number | null }
  /** With an internal error comes its cause, which is for the log alone: it may hold something of the content. */
  | { outcome: 'failed'; failure: AnalysisFailure; cause?: string };

/** How much content a document may have; one that has more is not read in part. */
export interface ContentLimits {
  pages: number;
  characters: number;
}

/** How a file is read, and how much of it. */
export interface ReadDocumentOrder {
  mediaType: string;
  limits: ContentLimits;
}
