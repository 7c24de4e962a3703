/**
 * A copy of the UK register of companies, made from its bulk file. It belongs to no organisation: every analysis may ask
 * it. An import writes a generation of its own beside the one that is read, in many short transactions, and takes its
 * place at once; what an import leaves behind that was killed, the next one deletes.
 */
export interface CompanyRegisterStore {
  /**
   * Begins to import a register. An import that has not ended is given up: it is refused whatever else it does.
   * @throws {StoreUnavailableError}
   */
  startCompanyRegisterImport(): Promise<CompanyRegisterImport>;
  /** What is imported; undefined if nothing ever was. */
  readCompanyRegister(): Promise<CompanyRegister | undefined>;
  /** The edition of what is imported, which no other import has; undefined if nothing ever was. */
  readCompanyRegisterEdition(): Promise<string | undefined>;
  /** The company of the imported register that has this number; undefined if none has, or nothing was imported. */
  findCompany(companyNumber: string): Promise<RegisteredCompany | undefined>;
}

/** A company as the register names it. */
export interface RegisteredCompany {
  company_number: string;
  name: string;
  /** As the register words it; empty if it says nothing. */
  status: string;
}

/** A company in a bulk file, and the line on which it stands. */
export interface RegisterEntry extends RegisteredCompany {
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
   * Puts what was added in the place of the former register, in one transaction. `onStored` is told how many companies
   * have been stored, from 0, where storing them takes a time of its own.
   * @throws {ConflictError} if a number was added twice, or another import has begun
   */
  finish(origin: RegisterOrigin, onStored?: (stored: number) => void): Promise<CompanyRegister>;
  /** Deletes what was added; the former register stays. */
  abandon(): Promise<void>;
}
