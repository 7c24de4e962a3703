/**
 * The data store of the service. Each method is one transaction; all times are ISO 8601 in UTC with milliseconds. Any
 * method can reject with a `StoreUnavailableError`; each method documents its other errors.
 */
import type { SettingUpdateEntry } from '../domain/audit.ts';
import type { Case, StoredCase } from '../domain/case.ts';
import type { Credential } from '../domain/credential.ts';
import type { Prefetched, Principal } from '../domain/principal.ts';
import type { JsonText } from './case-texts/json-text.ts';
import type { partsOn } from './parts/index.ts';
import type { Access } from './statements.ts';

export interface CredentialWithRights extends Omit<Credential, 'role' | 'created_at'> {
  secret_sha256: Uint8Array;
  permissions: string[];
  features: string[];
  prefetched?: Prefetched | undefined;
}

export interface VerificationSettingChange {
  organisationId: string;
  enabled: boolean;
  credentialId: string;
  requestId: string;
  occurredAt: string;
}

export interface HeldRights {
  /** Undefined if the caller's organisation has no credential with this identifier. */
  credential: Pick<Credential, 'kind' | 'expires_at' | 'revoked_at'> | undefined;
  permissions: string[];
  features: string[];
}

export type Caller = Pick<Principal, 'credentialId' | 'organisationId' | 'prefetched'>;

/** Rights may have been withdrawn while the body was arriving, so the transaction that writes checks them again. */
export interface Authorisation {
  readonly callers: readonly Caller[];
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
  /** A case of this organisation with its files, in the same order. */
  findCase(organisationId: string, caseId: string): Promise<StoredCase | undefined>;
}

/** What requests of the API pass through, in plain statements on each engine. */
export type RequestStore = Omit<OperationStore, 'findCaseText' | 'findCase'>;

/** The store as API operations may use it. */
export type ApiStore = OperationStore & Parts;

export interface Store extends ApiStore {
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
  /** The open and the idle connections, and the callers that wait for one. Absent if the store has no pool. */
  poolState?(): Readonly<Record<'total' | 'idle' | 'waiting', number>>;
  close(): Promise<void>;
}

/** The methods of the store that the requests of the API do not pass through, written once for both engines. */
export type Parts = ReturnType<typeof partsOn>;

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Members that a caller may look for in vain: a store is no promise, and not every store has a pool or a warning. */
const absent: readonly string[] = ['then', 'poolState', 'warning'];

/** Adds the parts, which are loaded at the first call of one of their methods. */
export function withParts<Own extends object>(access: Access, own: Own): Own & Parts {
  let parts: Promise<Record<string, Method>> | undefined;
  const load = async () => (await import('./parts/index.ts')).partsOn(access) as unknown as Record<string, Method>;
  const get = (_: Own, name: string | symbol): unknown => {
    if (name in own || typeof name === 'symbol' || absent.includes(name)) return Reflect.get(own, name);
    return async (...parameters: unknown[]) => (await (parts ??= load()))[name]?.(...parameters);
  };
  return new Proxy(own, { get }) as Own & Parts;
}

/** Called for each call of a store method; what it returns is called when the method has ended, with whether it failed. */
export type StoreObserver = (method: string) => (failed: boolean) => void;

export function observeStore<S extends Partial<Store>>(store: S, observers: readonly StoreObserver[]): S {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = Reflect.get(target, name) as Method | object | string | undefined;
      if (name === 'authorisedBy')
        return (authorisation: Authorisation) => {
          const authorised = target.authorisedBy?.(authorisation);
          return authorised && observeStore(authorised, observers);
        };
      if (typeof method !== 'function') return method;
      return async (...parameters: unknown[]) => {
        const end = observers.map((observe) => observe(name));
        let failed = true;
        try {
          const result = await (method as Method).apply(target, parameters);
          failed = false;
          return result;
        } finally {
          for (const tell of end) tell(failed);
        }
      };
    },
  });
}
