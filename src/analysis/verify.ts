import type { Detail, DetailKind, Evidence, RegistryRecord } from '../domain/analysis.ts';
import { type Registry, RegistryUnavailableError } from './registries/registry.ts';

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

/** The time limit for asking the registries about one document; questions still open then are asked again later. */
const documentMilliseconds = 20_000;

const notConfigured = 'no registry is configured for this kind of detail';
const notInTime = 'the registry did not respond within the time limit for a document';

export interface Verification {
  readonly registries: readonly Registry[];
  readonly namesCompany: (registeredName: string) => boolean | Promise<boolean>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

type Question = Pick<Detail, 'kind' | 'value'>;

/**
 * Asks registries about the details, in parallel, and returns evidence in the order of the details. A registry that is
 * unavailable or slow gives evidence that says so. @throws the signal's reason if it aborts meanwhile
 */
export async function verify(
  details: readonly Question[],
  verification: Verification,
  milliseconds = documentMilliseconds,
): Promise<Evidence[]> {
  const { registries } = verification;
  const registryOf = ({ kind }: Question) => registries.find(({ kinds }) => kinds.includes(kind));
  const failed = new AbortController();
  const bound = AbortSignal.timeout(milliseconds);
  const signal = AbortSignal.any([verification.signal, failed.signal]);
  const evidence = new Map<Question, Evidence>();
  const askAll = async (registry: Registry | undefined): Promise<void> => {
    const questions = details.filter((detail) => registryOf(detail) === registry).values();
    const askInTurn = async (): Promise<void> => {
      for (const question of questions) {
        signal.throwIfAborted();
        evidence.set(question, await ask(question, registry, { ...verification, signal }, bound));
      }
    };
    await Promise.all(Array.from({ length: registry?.questionsAtOnce ?? 1 }, askInTurn));
  };
  try {
    await Promise.all([undefined, ...registries].map(askAll));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
  return details.flatMap((detail) => evidence.get(detail) ?? []);
}

async function ask(
  { kind, value }: Question,
  registry: Registry | undefined,
  { namesCompany, now, signal }: Verification,
  bound: AbortSignal,
): Promise<Evidence> {
  // Read before asking: an import that ends in between makes the evidence look too old, never too new.
  const edition = (await registry?.edition?.()) ?? null;
  const asked = { kind, value, registry: registry?.name ?? null, edition, record: null, asked_at: now().toISOString() };
  const unavailable = (reason: string) => ({ ...asked, verdict: 'registry_unavailable' as const, reason });
  const isOver = () => bound.aborted;
  if (!registry) return { ...unavailable(notConfigured), ...never[kind] };
  if (isOver()) return unavailable(notInTime);
  let record: RegistryRecord | undefined;
  try {
    record = await registry.find(kind, value, AbortSignal.any([signal, bound]));
  } catch (error) {
    signal.throwIfAborted();
    if (isOver()) return unavailable(notInTime);
    if (!(error instanceof RegistryUnavailableError)) throw error;
    return unavailable(error.message);
  }
  if (!record) return { ...asked, verdict: 'not_found', reason: null };
  for (const name of [record.name, ...(record.other_names ?? [])])
    if (await namesCompany(name)) return { ...asked, record, verdict: 'match', reason: null };
  return { ...asked, record, verdict: 'mismatch', reason: null };
}
