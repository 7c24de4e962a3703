/** The UK register's free company data product: one file of 55 columns. Some names in its header begin with a space. */
import type { RegisterEntry } from '../../store/company-register-store.ts';
import { faultOfText, readRegisterFile, type RegisterForm } from './register-file.ts';
import { bulkFileColumns, corporationColumns } from './register-columns.ts';

const form: RegisterForm<(typeof bulkFileColumns)[number]> = {
  columns: bulkFileColumns,
  described: "the UK register's free company data product (BasicCompanyDataAsOneFile, unpacked)",
  others: [
    {
      columns: corporationColumns,
      described: 'a file of the federal corporations of Canada: import all four with --register ca-corporations',
    },
  ],
  entryOf: ({ CompanyNumber: number, CompanyName: name, CompanyStatus: status }) => ({
    company_number: number.trim().toUpperCase(),
    name: name.trim(),
    status: status.trim(),
  }),
  faultOf: ({ company_number: number, name, status }) => {
    if (!/^[0-9A-Z]{8}$/.test(number))
      return `CompanyNumber must be 8 letters and digits, not "${number.slice(0, 20)}".`;
    if (name === '') return 'CompanyName must not be empty.';
    return faultOfText([name, status], 'CompanyName and CompanyStatus');
  },
};

/**
 * Reads the companies of the UK register's bulk file in parts.
 * @throws {BulkFileError} if the file has another format or an unreadable line; else what reading it throws
 */
export function readBulkFile(file: AsyncIterable<string | Uint8Array>): AsyncGenerator<RegisterEntry[]> {
  return readRegisterFile(file, form);
}
