/** What an analysis finds in a file's text, and what a registry says of it. */

/** The kinds of detail that an analysis looks for. */
export type DetailKind =
  | 'uk-company-number'
  | 'uk-vat-number'
  | 'ca-corporation-number'
  | 'ca-business-number'
  | 'ca-gst-hst-account';

/** An identifier of a company in a document's text. */
export interface Detail {
  kind: DetailKind;
  /** In its one canonical spelling: `01234567`, `GB123456782`, `4261607`, `123456782`, `123456782RT0001`. */
  value: string;
  /** As the document spells it at its first occurrence. */
  found_as: string;
  /** The page of its first occurrence, from 1; null for a text without pages. */
  page: number | null;
}

/**
 * The outcome of a check of one detail. `match`: the registry holds the value, and the document names the company as the
 * registry does. `mismatch`: it holds the value, but the document does not name that company. `not_found`: it does not hold
 * the value. `registry_unavailable`: it is unavailable, or none is configured for this kind of detail. `no_public_register`: no
 * public register holds this kind of detail.
 */
export type Verdict = 'match' | 'mismatch' | 'not_found' | 'registry_unavailable' | 'no_public_register';

/** What a registry said when it was asked about a detail. */
export interface Evidence {
  kind: DetailKind;
  /** What was asked: the detail's canonical value. */
  value: string;
  /** The registry's name; null if there is none, or none is configured, for this kind of detail. */
  registry: string | null;
  /**
   * The edition of an imported register, as in `import 3 of 2026-11-21T16:01:10.317Z`; null if no register of editions was
   * asked. The response of an API is of the time at which it was asked.
   */
  edition: string | null;
  /** What the registry holds; null if it holds nothing or did not respond. */
  answer: RegistryRecord | null;
  /** ISO 8601, UTC, with milliseconds. */
  asked_at: string;
  verdict: Verdict;
  /** Why no registry has responded, for people; null if one has. */
  reason: string | null;
}

/** Whether asking again later may give other evidence, because a registry was unavailable. */
export function isProvisional({ verdict, registry }: Pick<Evidence, 'verdict' | 'registry'>): boolean {
  return verdict === 'registry_unavailable' && registry !== null;
}

/** The current evidence: later evidence replaces what was unavailable. */
export function evidenceNow(evidence: readonly Evidence[], later: readonly Evidence[]): Evidence[] {
  return evidence.map(
    (first) => later.find(({ kind, value }) => kind === first.kind && value === first.value) ?? first,
  );
}

/** What a registry holds of a company. */
export interface RegistryRecord {
  value: string;
  name: string;
  /** Its name in other languages; absent if it has none. */
  other_names?: string[];
  /** As the registry words it, such as `Active` or `dissolved`; empty if it says nothing. */
  status: string;
}

/** What an analysis found. It is stored as text once and never changed. */
export interface AnalysisResult {
  text: {
    /** `no_text`: the file holds no text but what its pictures show, such as an image or a scan: pictures are not read. */
    outcome: 'text' | 'no_text';
    /** Null for a file without pages. */
    pages: number | null;
    characters: number;
  };
  details: Detail[];
  /** One for each detail; null if the organisation's verification setting was off when the analysis started. */
  evidence: Evidence[] | null;
}

/** Why an analysis failed; a program can tell them apart by the code. */
export interface AnalysisFailure {
  code:
    | 'broken-file'
    | 'encrypted-file'
    | 'too-much-content'
    | 'too-slow'
    | 'content-missing'
    | 'worker-lost'
    | 'internal-error';
  /** For people; it holds nothing of the file's content. */
  message: string;
}

/** How often a file is taken before it is given up. A file that ended this many workers would end the next one too. */
export const mostAttempts = 3;

/** How often in a row registries are asked again about a file without any response. */
export const mostRechecks = 6;
