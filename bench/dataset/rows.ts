import { fileCount, identifierOf, ownerOf } from './plan.ts';

const day = 24 * 60 * 60 * 1000;
const firstDay = Date.parse('2025-01-01T08:00:00.000Z');
const statuses = ['analysis_complete', 'analysis_complete', 'analysis_complete', 'analysis_failed', 'analysing'];
const kinds = [
  ['certificate-of-incorporation', 'pdf', 'application/pdf'],
  ['vat-registration', 'pdf', 'application/pdf'],
  ['invoice', 'png', 'image/png'],
  ['bank-statement', 'jpeg', 'image/jpeg'],
] as const;

/** The columns of a case, in the order of insertion. */
export function caseRow(number: number): unknown[] {
  const createdAt = new Date(firstDay + (number % 365) * day);
  const metadata = { source: 'onboarding', reference: `ONB-${number}`, priority: number % 5, country: 'GB' };
  return [
    identifierOf('case', number),
    identifierOf('organisation', ownerOf(number)),
    `Supplier onboarding ${number}`,
    JSON.stringify(metadata),
    number % 10 === 9 ? createdAt.toISOString() : null,
    createdAt.toISOString(),
    new Date(createdAt.getTime() + day).toISOString(),
  ];
}

/** The columns of a case's files, in the order of insertion. `firstFile` is the number of the first. */
export function* fileRows(caseNumber: number, firstFile: number): Generator<unknown[]> {
  const caseId = identifierOf('case', caseNumber);
  const start = firstDay + (caseNumber % 365) * day;
  for (let index = 0; index < fileCount(caseNumber); index += 1) {
    const number = firstFile + index;
    const fileId = identifierOf('file', number);
    const [name, suffix, mimeType] = kinds[number % kinds.length] ?? kinds[0];
    // In most cases all files are analysed, so that both states of a case occur.
    const status = (caseNumber % 4 === 0 ? statuses[number % statuses.length] : undefined) ?? 'analysis_complete';
    yield [
      caseId,
      fileId,
      `${name}-${number}.${suffix}`,
      new Date(start + index * 100).toISOString(),
      `https://files.document-analysis.example/thumbnails/${fileId}.png`,
      mimeType,
      status,
      status === 'analysing' ? null : new Date(start + index * 100 + 60_000).toISOString(),
    ];
  }
}
