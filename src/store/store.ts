/**
 * The data store of the service. Each method is one transaction; all times are ISO 8601 in UTC with milliseconds. Any
 * method can reject with a `StoreUnavailableError`; each method documents its other errors.
 */
import type { AuditEntry, FeatureUpdateEntry, SettingUpdateEntry } from '../domain/audit.ts';
import type { Case, CaseOverview, CaseToImport, FileSummary, StoredCase } from '../domain/case.ts';
import type { Credential, ListedCredential } from '../domain/credential.ts';
import type { Organisation, Role } from '../domain/organisation.ts';
import type { Prefetched, Principal } from '../domain/principal.ts';
import type { JsonText } from './case-texts/json-text.ts';
import type { AnalysisStore, RecheckStore } from './analysis-store.ts';
import type { CompanyRegisterStore } from './company-register-store.ts';

type FoundFields = 'credential_id' | 'organisation_id' | 'kind' | 'expires_at' | 'revoked_at';

export interface CredentialWithRights extends Pick<Credential, FoundFields> {
  secret_sha256: Uint8Array;
  permissions: string[];
  features: string[];
  prefetched?: Prefetched | undefined;
}

export type CredentialUse = Pick<Credential, 'credential_id'> & { last_used_at: string };

export interface VerificationSettingChange {
  organisationId: string;
  enabled: boolean;
  credentialId: string;
  requestId: string;
  occurredAt: string;
}

export interface FeatureChange {
  organisationId: string;
  feature: string;
  enabled: boolean;
  occurredAt: string;
}

/** The result that a file of the same content gets without being analysed again (decision D27). */
export interface CachedAnalysisResult {
  organisation_id: string;
  content_sha256: Uint8Array;
  result: Record<string, unknown>;
  created_at: string;
}

export interface HeldRights {
  /** Undefined if the caller's organisation has no credential with this identifier. */
  credential: Pick<Credential, 'kind' | 'expires_at' | 'revoked_at'> | undefined;
  permissions: string[];
  features: string[];
}

/** Rights may have been withdrawn while the body was arriving, so the transaction that writes checks them again. */
export interface Authorisation {
  readonly callers: readonly Pick<Principal, 'credentialId' | 'organisationId' | 'prefetched'>[];
  /** Receives each caller's rights, undefined if there is no such organisation. If it throws, nothing is written. */
  readonly check: (rights: readonly (HeldRights | undefined)[]) => void;
}

/** The store's methods for the three API operations. Every read and write is limited to one organisation. */
export interface OperationStore {
  /** A store may also read what the request will need next: the setting, and the revision of this case. */
  findCredential(secretSha256: Buffer, caseId?: string): Promise<CredentialWithRights | undefined>;
  findFeatures(organisationId: string): Promise<string[] | undefined>;
  /** Data that was read with the caller's credential is not read again. */
  readVerificationSetting(organisationId: string, prefetched?: Prefetched): Promise<boolean>;
  /** Saves the setting, clears the cached results if it changed, and writes the audit entry: all or none. */
  updateVerificationSetting(change: VerificationSettingChange): Promise<SettingUpdateEntry>;
  /** A case of this organisation as the text that the API sends, with its files ordered by `uploaded_at`, then `file_id`. */
  findCaseText(organisationId: string, caseId: string, prefetched?: Prefetched): Promise<JsonText<Case> | undefined>;
}

/** The store's methods for the operator's command line. */
export interface OperatorStore {
  /** @throws {ConflictError} if the name is taken */
  createOrganisation(organisation: Organisation): Promise<void>;
  /** In the order of their creation. */
  listOrganisations(): Promise<Organisation[]>;
  /**
   * Grants or withdraws a feature, clears the cached results if that changes whether checks run, and writes the audit
   * entry: all or none.
   * @throws {NotFoundError} if there is no such organisation
   */
  updateFeature(change: FeatureChange): Promise<FeatureUpdateEntry>;

  /** @throws {NotFoundError} if the organisation or the role does not exist */
  addCredential(credential: Credential, secretSha256: Uint8Array): Promise<void>;
  /**
   * Revokes a credential and adds its successor with the same organisation, kind, role and expiry.
   * @throws {NotFoundError} if there is no such credential; {ConflictError} if it is already revoked
   */
  replaceCredential(
    credentialId: string,
    successor: { credentialId: string; secretSha256: Uint8Array; at: string },
  ): Promise<Credential>;
  /** @throws {NotFoundError} */
  readCredential(credentialId: string): Promise<Credential>;
  /** Of one organisation, or of all, in the order of their creation. */
  listCredentials(organisationId?: string): Promise<ListedCredential[]>;
  /** Revoking a revoked credential changes nothing. @throws {NotFoundError} */
  revokeCredential(credentialId: string, at: string): Promise<void>;

  listRoles(): Promise<Role[]>;
  /** @throws {NotFoundError} */
  setPermission(role: string, permission: string, granted: boolean): Promise<void>;

  /**
   * Adds all cases or none. `onFile` is called after each file with the number added so far.
   * @throws {NotFoundError} if there is no such organisation; {ConflictError} with `place` if an identifier is taken
   */
  importCases(organisationId: string, cases: Iterable<CaseToImport>, onFile?: (added: number) => void): Promise<void>;
  /** A case of this organisation with its files, in the same order. */
  findCase(organisationId: string, caseId: string): Promise<StoredCase | undefined>;
  /** @throws {NotFoundError} */
  findOwnerOfCase(caseId: string): Promise<string>;
  /** @throws {NotFoundError} if no organisation has such a case; {ConflictError} if it is already locked */
  lockCase(caseId: string, at: string): Promise<void>;
  /** Unlocking a case that is not locked changes nothing. @throws {NotFoundError} */
  unlockCase(caseId: string, at: string): Promise<void>;
  /** Of one organisation, or of all; the newest first. */
  listCases(filter: { organisationId?: string | undefined; limit: number }): Promise<CaseOverview[]>;

  /** Replaces an earlier result for the same content. @throws {NotFoundError} if there is no such organisation */
  saveCachedAnalysisResult(result: CachedAnalysisResult): Promise<void>;
  countCachedAnalysisResults(organisationId: string): Promise<number>;
  /** Of one organisation, or of all; the newest first. */
  listAuditEntries(filter: { organisationId?: string | undefined; limit: number }): Promise<AuditEntry[]>;
}

/** For the removal of leftovers. */
export interface LeftoverStore {
  readLastUpload(): Promise<string | undefined>;
  /** The SHA-256 of the content of files, in order, where it begins with this byte. */
  listContents(firstByte: number): Promise<Uint8Array[]>;
  /** A page of thumbnail URLs, in the order of file identifiers; empty at the end. */
  listThumbnails(afterFile: string): Promise<FileThumbnail[]>;
  /** Calls `remove` for each of these contents that belongs to no file. Until it returns, no process can add a file. */
  removeUnnamed(sha256s: readonly Uint8Array[], remove: (sha256: Uint8Array) => void): Promise<void>;
}

export type FileThumbnail = Pick<FileSummary, 'file_id' | 'thumbnail_url'>;

/** The open and the idle connections of a pooled store, and the callers that wait for one. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The store as API operations may use it. */
export type ApiStore = OperationStore &
  OperatorStore &
  Pick<AnalysisStore, 'requireUnlockedCase' | 'expectFile' | 'addFiles' | 'readAnalysis' | 'countWaitingAnalyses'>;

export interface Store
  extends OperationStore, OperatorStore, AnalysisStore, RecheckStore, CompanyRegisterStore, LeftoverStore {
  /** The same store, in which each write transaction first checks an authorisation. */
  authorisedBy(authorisation: Authorisation): ApiStore;
  /** The location of the data, for people; it contains no secret. */
  readonly name: string;
  /** What the operator should change about the connection to the store, if anything. */
  readonly warning?: string | undefined;
  /**
   * Checks that the store responds and has the schema that this program needs. Cheap enough to run every few seconds.
   * @throws {StoreUnavailableError} if not
   */
  check(): Promise<void>;
  /** Saves when credentials were last used. Unknown credentials, and those with a later use, stay unchanged. */
  noteCredentialUses(uses: readonly CredentialUse[]): Promise<void>;
  /** Credentials that are not revoked and expire after `from` and not after `until`, the earliest first. */
  listExpiringCredentials(period: { from: string; until: string; limit: number }): Promise<Credential[]>;
  /** Absent if the store has no pool of connections. */
  poolState?(): PoolState;
  close(): Promise<void>;
}
