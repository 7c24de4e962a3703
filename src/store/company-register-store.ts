/**
 * Copies of public registers of companies, made from their bulk files. They belong to no organisation: every analysis
 * may query them. An import writes a new generation beside the one being read, in many short transactions, and then
 * replaces it in one step. The next import deletes what a killed import left behind.
 */
export interface CompanyRegisterStore {
  /**
   * Replaces a register in one step, once all companies are stored; `onStored` is awaited with their number so far. An
   * import of the same register that is in progress ends.
   * @throws {ConflictError} if a number is listed twice, or another import has started
   */
  importCompanyRegister(
    register: RegisterName,
    companies: CompaniesToImport,
    origin: RegisterOrigin,
    onStored?: (stored: number) => unknown,
  ): Promise<CompanyRegister>;
  readCompanyRegister(register?: RegisterName): Promise<CompanyRegister | undefined>;
  /** Unique to its import. */
  readCompanyRegisterEdition(register?: RegisterName): Promise<string | undefined>;
  /** In the UK register. */
  findCompany(companyNumber: string): Promise<RegisteredCompany | undefined>;
  /** In the federal register of Canada; at most 100. Several can share a business number, as after an amalgamation. */
  findCorporations(by: 'corporation_number' | 'business_number', number: string): Promise<RegisteredCorporation[]>;
}

export const registerNames = ['uk-companies', 'ca-corporations'] as const;

export type RegisterName = (typeof registerNames)[number];

export interface RegisteredCompany {
  company_number: string;
  name: string;
  /** As the register words it; empty if it has none. */
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

/** The name of its file, for people, and when. */
export type RegisterOrigin = Record<'source' | 'imported_at', string>;

export type CompanyRegister = RegisterOrigin & { companies: number };

/** A company whose number was added before. */
export type RepeatedEntry = Pick<RegisterEntry, 'company_number' | 'line'> & { file: string | null };

/** The companies of an import, in parts of so many rows, each in the order of its key. */
export interface CompaniesToImport {
  /** Sorts the companies by number. Returns one that was added twice, if there is one. */
  sort(): RepeatedEntry | undefined;
  companies(rowsOfPart: number): Iterable<RegisteredCorporation[]>;
  businessNumbers(rowsOfPart: number): Iterable<object[]>;
}
