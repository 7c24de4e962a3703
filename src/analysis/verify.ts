import type { Detail, Evidence, RegistryRecord } from '../domain/analysis.ts';
import { withoutRegistry } from './registries/no-public-register.ts';
import { type Registry, RegistryUnavailableError } from './registries/registry.ts';

/** What a verification asks and compares with. */
export interface Verification {
  readonly registries: readonly Registry[];
  /** Whether the document names a company as a registry does. */
  readonly namesCompany: (registeredName: string) => boolean;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * Asks a registry about each detail, once and one after the other, and gives evidence in the order of the details. A
 * registry that is unavailable is evidence too.
 * @throws the signal's reason if it is given meanwhile
 */
export async function verify(details: readonly Detail[], verification: Verification): Promise<Evidence[]> {
  const evidence: Evidence[] = [];
  for (const detail of details) {
    verification.signal.throwIfAborted();
    evidence.push(await ask(detail, verification));
  }
  return evidence;
}

/** Whether asking again later may give other evidence, because a registry was unavailable. */
export function isProvisional(evidence: readonly Evidence[]): boolean {
  return evidence.some(({ verdict, registry }) => verdict === 'registry_unavailable' && registry !== null);
}

async function ask(
  { kind, value }: Detail,
  { registries, namesCompany, now, signal }: Verification,
): Promise<Evidence> {
  const namesAny = ({ name, other_names: others = [] }: RegistryRecord) => [name, ...others].some(namesCompany);
  const registry = registries.find(({ kinds }) => kinds.includes(kind));
  const asked = { kind, value, registry: registry?.name ?? null, answer: null, asked_at: now().toISOString() };
  if (!registry) return { ...asked, ...withoutRegistry(kind) };
  try {
    const answer = await registry.find(kind, value, signal);
    if (!answer) return { ...asked, verdict: 'not_found', reason: null };
    return { ...asked, answer, verdict: namesAny(answer) ? 'match' : 'mismatch', reason: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RegistryUnavailableError)) throw error;
    return { ...asked, verdict: 'registry_unavailable', reason: error.message };
  }
}
