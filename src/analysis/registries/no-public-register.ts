import type { DetailKind, Evidence } from '../../domain/analysis.ts';

/** The kinds of detail that no public register holds in a form that a program can ask, and what their evidence says. */
const reasons: Partial<Record<DetailKind, string>> = {
  'ca-gst-hst-account': 'there is no public register of GST/HST accounts that a program can ask',
};

/** The evidence on a kind of detail that no registry is asked about. */
export function withoutRegistry(kind: DetailKind): Pick<Evidence, 'verdict' | 'reason'> {
  const reason = reasons[kind];
  if (reason !== undefined) return { verdict: 'no_public_register', reason };
  return { verdict: 'registry_unavailable', reason: 'no registry is configured for this kind of detail' };
}
