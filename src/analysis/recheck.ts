/**
 * Asks registries again that were unavailable or too slow during an analysis: only the open questions, within the same
 * time limits, at growing intervals. The file is read again only to look for a company's name.
 */
import { type AnalysisResult, type Evidence, evidenceNow, isProvisional } from '../domain/analysis.ts';
import type { AbandonedRecheck, TakenRecheck } from '../store/parts/rechecks.ts';
import type { AnalysisParts, AnalysisTools } from './analyse-next.ts';
import { leaseFrom, type LeasedWork, ownFault, recheckAfter, underLease } from './lease.ts';
import { verify } from './verify.ts';

/**
 * The outcome for the open questions of a file: all closed (`complete`), some to be asked again (`postponed`), or none
 * asked again (`given_up`). Another worker continues after `lost` and `given_back`.
 */
export const recheckOutcomes = ['complete', 'postponed', 'given_up', 'lost', 'given_back'] as const;

export interface RecheckReport {
  readonly fileId: string;
  readonly outcome: (typeof recheckOutcomes)[number];
}

export function takeRecheck(
  { store, tools }: AnalysisParts,
  after: string,
): Promise<TakenRecheck | AbandonedRecheck | undefined> {
  return store.takeRecheck({ ...leaseFrom(tools.now()), after });
}

/**
 * Asks again about a file that was just taken. It is given back if the signal aborts.
 * @throws an error that would also affect any other file; the file is given back
 */
export async function recheck(
  taken: TakenRecheck | AbandonedRecheck,
  parts: AnalysisParts,
  signal: AbortSignal,
): Promise<RecheckReport> {
  const { file_id: fileId, organisation_id: organisationId } = taken;
  const asked = taken.status === 'taken';
  const outcome = asked ? await askAgain(taken, parts, signal) : 'given_up';
  const message = asked ? 'registries were asked again' : 'registries are not asked again';
  parts.logger.info({ fileId, organisationId, outcome }, message);
  return { fileId, outcome };
}

async function askAgain(
  taken: TakenRecheck,
  parts: AnalysisParts,
  signal: AbortSignal,
): Promise<RecheckReport['outcome']> {
  const { store, tools } = parts;
  const { lease } = taken;
  const open = openQuestions(taken);
  const leased: LeasedWork<Evidence[], RecheckReport['outcome']> = {
    renew: (time) => store.renewRecheck(lease, time),
    release: async () => {
      await store.releaseRecheck(lease, tools.now().toISOString());
      return true;
    },
    now: tools.now,
    work: (during) => ask(open, taken, parts, during),
    failed: (error) => {
      logFault(error, taken, parts);
      return [];
    },
    save: (found) => save(taken, { found, open: open.length - found.length }, parts),
  };
  return underLease(leased, signal);
}

function logFault(error: unknown, { file_id: fileId }: TakenRecheck, { logger }: AnalysisParts): void {
  logger.error({ err: error, fileId }, 'registries could not be asked again about a file');
}

function openQuestions({ result, later_evidence: later }: TakenRecheck): Evidence[] {
  const { evidence } = JSON.parse(result) as AnalysisResult;
  return evidenceNow(evidence ?? [], later).filter(isProvisional);
}

/** Asks the registries. If the file cannot be read again, numbers for which they name a company stay open. */
async function ask(
  open: readonly Evidence[],
  taken: TakenRecheck,
  parts: AnalysisParts,
  signal: AbortSignal,
): Promise<Evidence[]> {
  const { tools } = parts;
  const { registries, namesCompany } = await tools.verification();
  let text: Promise<string | undefined> | undefined;
  const read = () =>
    readAgain(taken, tools, signal).catch((error: unknown) => {
      logFault(ownFault(error, signal), taken, parts);
      return undefined;
    });
  const evidence = await verify(open, {
    registries,
    namesCompany: async (name) => {
      const comparable = await (text ??= read());
      return comparable !== undefined && namesCompany(comparable, name);
    },
    now: tools.now,
    signal,
  });
  const unread = text !== undefined && (await text) === undefined;
  return evidence.filter(({ verdict }) => verdict !== 'registry_unavailable' && !(unread && verdict === 'mismatch'));
}

async function readAgain(
  { content_sha256: sha256, mime_type: mimeType }: TakenRecheck,
  { contents, readDocument }: AnalysisTools,
  signal: AbortSignal,
): Promise<string> {
  const path = await contents.verified(sha256, signal);
  const reading = path === undefined ? undefined : await readDocument(path, mimeType, signal);
  if (reading?.outcome !== 'text') throw new Error('the file cannot be read again, as it could when it was analysed');
  return reading.comparableText;
}

async function save(
  { lease, attempts, later_evidence: earlier }: TakenRecheck,
  { found, open }: { found: readonly Evidence[]; open: number },
  { store, tools }: AnalysisParts,
): Promise<RecheckReport['outcome'] | undefined> {
  const dueAfterMilliseconds = open === 0 ? undefined : recheckAfter(found.length > 0 ? 0 : attempts + 1);
  const saving = { laterEvidence: [...earlier, ...found], dueAfterMilliseconds, at: tools.now().toISOString() };
  const saved = await store.saveRecheck(lease, saving);
  if (saved === undefined || saved === 'given_up') return saved;
  if (open === 0) return 'complete';
  return dueAfterMilliseconds === undefined ? 'given_up' : 'postponed';
}
