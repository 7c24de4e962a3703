import type { Organisation } from '../domain/organisation.ts';
import type { Region } from '../domain/region.ts';

export const demoIds = {
  organisation: 'de300000-0000-4000-8000-000000000001',
  featureOffOrganisation: 'de300000-0000-4000-8000-000000000002',
  otherOrganisation: 'de300000-0000-4000-8000-000000000003',
} as const;

/** How long the demo's credentials are valid: for a month before operators are warned that they expire. */
export const demoDays = 60;

export function demoOrganisations(now: Date): Organisation[] {
  const common = { created_at: now.toISOString(), verification_enabled: false };
  return [
    { ...common, organisation_id: demoIds.organisation, name: 'Demo', features: ['verification'] },
    { ...common, organisation_id: demoIds.featureOffOrganisation, name: 'Demo without verification', features: [] },
    { ...common, organisation_id: demoIds.otherOrganisation, name: 'Demo neighbour', features: ['verification'] },
  ];
}

export interface DemoCase {
  readonly label: string | null;
  readonly files: Readonly<Record<string, string>>;
  /** The file whose upload is awaited. */
  readonly awaited?: string;
  readonly isLocked?: boolean;
}

const numbers: Record<Region, string> = {
  uk: 'Registered in England and Wales, company number 01234567\nVAT number GB 123 4567 82\n',
  ca: 'Corporation number 426160-7\nBusiness number 123456782\n',
};

/** The cases of the demo: one with a file in each state that lasts, one without files, and one of the other organisation. */
export function demoCases(region: Region): Record<'supplier' | 'empty' | 'other', DemoCase> {
  const from = `ACME WIDGETS LIMITED\n${numbers[region]}\n`;
  return {
    supplier: {
      label: 'Supplier onboarding 1042',
      files: {
        'certificate-of-incorporation.txt': `${from}Certificate of incorporation\n`,
        'invoice.txt': `${from}Invoice 2026-117\n12 widgets: 240.00\n`,
        'vat-registration.pdf': '%PDF-1.7\nThis file is damaged: its analysis fails.\n',
      },
      awaited: 'bank-statement.pdf',
    },
    empty: { label: null, files: {} },
    other: { label: 'Contract renewal', files: { 'contract.txt': `${from}Contract\n` }, isLocked: true },
  };
}
