import type { DetailKind, Evidence } from '../../domain/analysis.ts';

/** The kinds of detail without a public register that a program can query, and the reason given in their evidence. */
const reasons: Partial<Record<DetailKind, string>> = {
  'ca-gst-hst-account': 'there is no public register of GST/HST accounts that a program can ask',
};

/** The evidence for a kind of detail without a registry. */
export function withoutRegistry(kind: DetailKind): Pick<Evidence, 'verdict' | 'reason'> {
  const reason = reasons[kind];
  if (reason !== undefined) return { verdict: 'no_public_register', reason };
  return { verdict: 'registry_unavailable', reason: 'no registry is configured for this kind of detail' };
}
