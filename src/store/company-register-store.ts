/**
 * Copies of public registers of companies, made from their bulk files. They belong to no organisation: every analysis may ask
 * them. An import writes a new generation beside the one being read, in many short transactions, and then replaces
 * it in one step. The next import deletes what a killed import left behind.
 */
export interface CompanyRegisterStore {
  /**
   * Begins to import a register. An import that has not ended is given up: it is refused whatever else it does.
   * @throws {StoreUnavailableError}
   */
  startCompanyRegisterImport(register?: RegisterName): Promise<CompanyRegisterImport>;
  /** The imported register; undefined if none was ever imported. */
  readCompanyRegister(register?: RegisterName): Promise<CompanyRegister | undefined>;
  /** The edition of what is imported, which no other import has; undefined if nothing ever was. */
  readCompanyRegisterEdition(register?: RegisterName): Promise<string | undefined>;
  /** The company of the imported UK register that has this number; undefined if none has, or nothing was imported. */
  findCompany(companyNumber: string): Promise<RegisteredCompany | undefined>;
  /**
   * The corporations of the imported federal register of Canada that have a number, in the order of their corporation numbers:
   * none if nothing was imported. Several can share a business number, as after an amalgamation; the first hundred are given.
   */
  findCorporations(by: 'corporation_number' | 'business_number', number: string): Promise<RegisteredCorporation[]>;
}

/** The registers that can be imported; the first is meant where none is named. */
export const registerNames = ['uk-companies', 'ca-corporations'] as const;

export type RegisterName = (typeof registerNames)[number];

/** A company as the register names it. */
export interface RegisteredCompany {
  company_number: string;
  name: string;
  /** As the register words it; empty if it says nothing. */
  status: string;
}

/** A corporation as the federal register of Canada names it; its company number is its corporation number. */
export interface RegisteredCorporation extends RegisteredCompany {
  /** The name in the other language; null if it has one name. */
  other_name: string | null;
}

/** A company in a bulk file, and its place in the file. */
export interface RegisterEntry extends RegisteredCompany {
  other_name?: string | null;
  business_number?: string | null;
  /** The name of the file, if the register has several. */
  file?: string;
  line: number;
}

/** Where a register came from. */
export interface RegisterOrigin {
  /** The name of its file, for people. */
  source: string;
  imported_at: string;
}

/** A register that was imported, and how large it is. */
export interface CompanyRegister extends RegisterOrigin {
  companies: number;
}

/** An import in progress. Nobody finds its companies before it is finished. */
export interface CompanyRegisterImport {
  /** @throws {ConflictError} if a number was added already, or another import has begun */
  add(entries: readonly RegisterEntry[]): Promise<void>;
  /**
   * Replaces the previous register with what was added, in one transaction. If storing takes a step of its own, `onStored` is
   * called with the number of companies stored, from 0.
   * @throws {ConflictError} if a number was added twice, or another import has begun
   */
  finish(origin: RegisterOrigin, onStored?: (stored: number) => void): Promise<CompanyRegister>;
  /** Deletes what was added; the former register stays. */
  abandon(): Promise<void>;
}
