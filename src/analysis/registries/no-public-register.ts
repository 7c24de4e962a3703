import type { DetailKind, Evidence } from '../../domain/analysis.ts';

/** The kinds of detail that no registry is ever asked about, and the reason given in their evidence. */
const never: Partial<Record<DetailKind, Pick<Evidence, 'verdict' | 'reason'>>> = {
  'ca-gst-hst-account': {
    verdict: 'no_public_register',
    reason: 'there is no public register of GST/HST accounts that a program can ask',
  },
  'unsupported-vat-number': {
    verdict: 'not_supported',
    reason: 'VAT numbers of countries other than the United Kingdom are not supported',
  },
};

/** The evidence for a kind of detail without a registry. */
export function withoutRegistry(kind: DetailKind): Pick<Evidence, 'verdict' | 'reason'> {
  return (
    never[kind] ?? { verdict: 'registry_unavailable', reason: 'no registry is configured for this kind of detail' }
  );
}
