/**
 * Copies of public registers of companies, made from their bulk files. They belong to no organisation: every analysis
 * may query them. An import writes a new generation beside the one being read, in many short transactions, and then
 * replaces it in one step. The next import deletes what a killed import left behind.
 */
export interface CompanyRegisterStore {
  /**
   * Starts to import a register. This abandons an unfinished import: all its further calls are refused.
   * @throws {StoreUnavailableError}
   */
  startCompanyRegisterImport(register?: RegisterName): Promise<CompanyRegisterImport>;
  /** The imported register; undefined if none was ever imported. */
  readCompanyRegister(register?: RegisterName): Promise<CompanyRegister | undefined>;
  /** The edition of the imported register, unique to its import; undefined if none was ever imported. */
  readCompanyRegisterEdition(register?: RegisterName): Promise<string | undefined>;
  /** The company with this number in the imported UK register; undefined if there is none, or nothing was imported. */
  findCompany(companyNumber: string): Promise<RegisteredCompany | undefined>;
  /**
   * The corporations with this number in the imported federal register of Canada, ordered by corporation number; none
   * if nothing was imported. Several can share a business number, as after an amalgamation; at most 100 are returned.
   */
  findCorporations(by: 'corporation_number' | 'business_number', number: string): Promise<RegisteredCorporation[]>;
}

/** The registers that can be imported; the first is the default. */
export const registerNames = ['uk-companies', 'ca-corporations'] as const;

export type RegisterName = (typeof registerNames)[number];

export interface RegisteredCompany {
  company_number: string;
  name: string;
  /** The status as the register words it; empty if it has none. */
  status: string;
}

/** A corporation in the federal register of Canada; its company number is its corporation number. */
export interface RegisteredCorporation extends RegisteredCompany {
  /** The name in the other language; null if it has one name. */
  other_name: string | null;
}

/** A company in a bulk file, and its position there. */
export interface RegisterEntry extends RegisteredCompany {
  other_name?: string | null;
  business_number?: string | null;
  /** The name of the file, if the register has several. */
  file?: string;
  line: number;
}

/** Where a register came from: the name of its file, for people, and when. */
export type RegisterOrigin = Record<'source' | 'imported_at', string>;

export type CompanyRegister = RegisterOrigin & { companies: number };

/** An import in progress. Its companies become visible when it is finished. */
export interface CompanyRegisterImport {
  /** @throws {ConflictError} if a number was already added, or another import has started */
  add(entries: readonly RegisterEntry[]): Promise<void>;
  /**
   * Replaces the former register in one transaction. `onStored` is called with the number of companies stored so far,
   * from 0, if storing them is a separate step.
   * @throws {ConflictError} if a number was added twice, or another import has started
   */
  finish(origin: RegisterOrigin, onStored?: (stored: number) => void): Promise<CompanyRegister>;
  /** Deletes what was added, and keeps the former register. */
  abandon(): Promise<void>;
}
