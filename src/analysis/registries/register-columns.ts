/** The columns that are read of each register's files. A file whose header has them all is taken for one of that register. */

/** Of the UK register's free company data product. */
export const bulkFileColumns = ['CompanyName', 'CompanyNumber', 'CompanyStatus'] as const;

/** Of the federal corporations of Canada, in their English edition. */
export const corporationColumns = [
  'Corporation number',
  'Business number (BN)',
  'Corporate name - form 1',
  'Corporate name - form 2',
  'Governing legislation',
  'Status',
  'Status Detail',
] as const;
