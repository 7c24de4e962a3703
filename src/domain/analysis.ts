export type DetailKind =
  | 'uk-company-number'
  | 'uk-vat-number'
  | 'ca-corporation-number'
  | 'ca-business-number'
  | 'ca-gst-hst-account'
  | 'unsupported-vat-number';

export interface Detail {
  kind: DetailKind;
  /** The canonical spelling: `01234567`, `GB123456782`, `4261607`, `123456782`, `123456782RT0001`, `DE136695976`. */
  value: string;
  /** The spelling of its first occurrence in the document. */
  found_as: string;
  /** The page of its first occurrence, from 1; null for a text without pages. */
  page: number | null;
}

/**
 * The outcome of a check. `match`: the registry lists the value, and the document names the company as it does.
 * `mismatch`: the document does not. `not_found`: the registry does not list it. `registry_unavailable`: also if none
 * is configured. `no_public_register`: there is none of this kind of detail. `not_supported`: this program knows none.
 */
export type Verdict =
  | 'match'
  | 'mismatch'
  | 'not_found'
  | 'registry_unavailable'
  | 'no_public_register'
  | 'not_supported';

export interface Evidence {
  kind: DetailKind;
  value: string;
  registry: string | null;
  /**
   * The edition of an imported register, as in `import 3 of 2026-11-21T16:01:10.317Z`; null for an API, which has none.
   */
  edition: string | null;
  /** The registry's record; null if it has none or did not respond. */
  record: RegistryRecord | null;
  /** ISO 8601, UTC, with milliseconds. */
  asked_at: string;
  verdict: Verdict;
  /** Why no registry responded, for people; null if one did. */
  reason: string | null;
}

/** Whether a later request may give other evidence, because a registry was unavailable. */
export function isProvisional({ verdict, registry }: Pick<Evidence, 'verdict' | 'registry'>): boolean {
  return verdict === 'registry_unavailable' && registry !== null;
}

/** The current evidence: later evidence replaces that of unavailable registries. */
export function evidenceNow(evidence: readonly Evidence[], later: readonly Evidence[]): Evidence[] {
  const laterOf = (first: Evidence) => later.find(({ kind, value }) => kind === first.kind && value === first.value);
  return evidence.map((first) => laterOf(first) ?? first);
}

export interface RegistryRecord {
  value: string;
  name: string;
  other_names?: string[];
  /** In the registry's own words, such as `Active` or `dissolved`; empty if the registry gives none. */
  status: string;
}

/** The result of an analysis. It is stored once, as JSON text, and never changed. */
export interface AnalysisResult {
  text: {
    /** `no_text`: the file has no text outside its pictures, as in an image or a scan; there is no text recognition. */
    outcome: 'text' | 'no_text';
    pages: number | null;
    characters: number;
  };
  details: Detail[];
  /** One entry per detail; null if no verification checks ran. */
  evidence: Evidence[] | null;
  /** What prevented checks when the analysis started; absent if they ran. */
  checks_prevented_by?: ChecksPreventedBy;
}

/** The setting was off, or the organisation did not have the feature while it was on. */
export type ChecksPreventedBy = 'setting' | 'feature';

export interface AnalysisFailure {
  code:
    | 'broken-file'
    | 'encrypted-file'
    | 'too-much-content'
    | 'too-slow'
    | 'content-missing'
    | 'worker-lost'
    | 'internal-error';
  /** For people; it contains nothing of the file's content. */
  message: string;
}

/** The maximum number of attempts per file: one that crashed so many workers would probably crash the next one too. */
export const mostAttempts = 3;

/** The maximum number of consecutive rechecks of a file to which no registry responds. */
export const mostRechecks = 6;
