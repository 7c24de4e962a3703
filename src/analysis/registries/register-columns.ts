/**
 * The columns that are read from each register's files. A file with all of them in its header belongs to that register.
 */

/** The UK register's free company data product. */
export const bulkFileColumns = ['CompanyName', 'CompanyNumber', 'CompanyStatus'] as const;

/** The federal corporations of Canada, English edition. */
export const corporationColumns = [
  'Corporation number',
  'Business number (BN)',
  'Corporate name - form 1',
  'Corporate name - form 2',
  'Governing legislation',
  'Status',
  'Status Detail',
] as const;
