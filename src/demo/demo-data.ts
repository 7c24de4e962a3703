import type { FileSummary, StoredCase } from '../domain/case.ts';
import type { Organisation } from '../domain/organisation.ts';

/** The demo's fixed identifiers: whether one exists decides whether its part of the demo is made. */
export const demoIds = {
  organisation: 'de300000-0000-4000-8000-000000000001',
  featureOffOrganisation: 'de300000-0000-4000-8000-000000000002',
  otherOrganisation: 'de300000-0000-4000-8000-000000000003',
  case: 'de300000-0000-4000-8000-0000000000c1',
  emptyCase: 'de300000-0000-4000-8000-0000000000c2',
  otherCase: 'de300000-0000-4000-8000-0000000000c3',
} as const;

const minute = 60_000;

/** The three organisations of the demo. */
export function demoOrganisations(now: Date): Organisation[] {
  const common = { created_at: now.toISOString(), verification_enabled: false };
  return [
    { ...common, organisation_id: demoIds.organisation, name: 'Demo', features: ['verification'] },
    { ...common, organisation_id: demoIds.featureOffOrganisation, name: 'Demo without verification', features: [] },
    { ...common, organisation_id: demoIds.otherOrganisation, name: 'Demo neighbour', features: ['verification'] },
  ];
}

/** The cases of the first organisation: one with files of different states, one without files. */
export function demoCases(now: Date): StoredCase[] {
  return [
    demoCase(demoIds.case, 'Supplier onboarding 1042', now, [
      demoFile('f1', 'certificate-of-incorporation.pdf', 'analysis_complete', now),
      demoFile('f2', 'vat-registration.pdf', 'analysis_failed', now),
      demoFile('f3', 'invoice.pdf', 'analysing', now),
      demoFile('f4', 'bank-statement.pdf', 'waiting_for_upload', now),
    ]),
    demoCase(demoIds.emptyCase, null, now, []),
  ];
}

/** The case of the other organisation: locked, its analysis complete. */
export function otherDemoCases(now: Date): StoredCase[] {
  const files = [demoFile('f5', 'contract.pdf', 'analysis_complete', now)];
  return [{ ...demoCase(demoIds.otherCase, 'Contract renewal', now, files), locked_at: now.toISOString() }];
}

function demoCase(id: string, label: string | null, now: Date, files: FileSummary[]): StoredCase {
  return {
    case_id: id,
    label,
    metadata: { source: 'demo' },
    locked_at: null,
    created_at: minutesBefore(now, 60),
    updated_at: now.toISOString(),
    files,
  };
}

function demoFile(
  suffix: string,
  label: string,
  status: 'analysis_complete' | 'analysis_failed' | 'analysing' | 'waiting_for_upload',
  now: Date,
): FileSummary {
  const id = `de300000-0000-4000-8000-0000000000${suffix}`;
  const ended = status === 'analysis_complete' || status === 'analysis_failed';
  return {
    file_id: id,
    label,
    uploaded_at: minutesBefore(now, 30),
    thumbnail_url: `https://files.document-analysis.example/thumbnails/${id}.png`,
    mime_type: 'application/pdf',
    analysis_status: status,
    analysis_completed_at: ended ? minutesBefore(now, 10) : null,
  };
}

function minutesBefore(time: Date, minutes: number): string {
  return new Date(time.getTime() - minutes * minute).toISOString();
}
