import { Command } from 'commander';
import { type AnalysisResult, type Evidence, evidenceNow } from '../domain/analysis.ts';
import type { FileAnalysis } from '../store/analysis-store.ts';
import { reportingCommand, identifier } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult, count, table } from './output.ts';
import { withStore } from './with-store.ts';

/** A file's analysis as it is printed. */
type ShownAnalysis = Omit<FileAnalysis, 'content_sha256' | 'result'> & {
  content_sha256: string | null;
  result: AnalysisResult | null;
};

/** The command for analyses. */
export function analysisCommand(context: CliContext): Command {
  return new Command('analysis').description('what the analyses of files found').addCommand(showCommand(context));
}

function showCommand(context: CliContext): Command {
  return reportingCommand('show', 'Show how the analysis of a file ended: its findings, and the evidence on them.', [
    'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11',
    'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 --json',
  ])
    .argument('<file>', "the file's identifier, as `case show` tells it", identifier)
    .action((fileId: string, options: { json?: boolean }, command: Command) =>
      withStore(context, command, async (store) => {
        const shown = shownOf(await store.readAnalysis(fileId));
        await printResult(context, options, shown, () => describe(shown));
      }),
    );
}

function shownOf({ content_sha256: sha256, result, ...facts }: FileAnalysis): ShownAnalysis {
  return {
    ...facts,
    content_sha256: sha256 && Buffer.from(sha256).toString('hex'),
    result: result === null ? null : (JSON.parse(result) as AnalysisResult),
  };
}

function describe({ result, failure, later_evidence: later, ...facts }: ShownAnalysis): string {
  const fields = {
    ...facts,
    ...(failure && { failure: `${failure.code}: ${failure.message}` }),
    ...(result && { text: describeText(result.text) }),
  };
  const overview = table(
    ['FIELD', 'VALUE'],
    Object.entries(fields).map(([name, value]) => [name, value === null ? null : yesOrNo(value)]),
  );
  return result ? [overview, describeDetails(result), describeEvidence(result, later ?? [])].join('\n\n') : overview;
}

function describeText({ outcome, pages, characters }: AnalysisResult['text']): string {
  const of = pages === null ? '' : ` on ${count(pages, 'page')}`;
  return outcome === 'text'
    ? `${count(characters, 'character')}${of}`
    : `no text${of}: pictures and scans are not read`;
}

function describeDetails({ details }: AnalysisResult): string {
  if (details.length === 0) return 'No detail was found.';
  const rows = details.map(({ kind, value, found_as: foundAs, page }) => [
    kind,
    value,
    foundAs,
    page === null ? null : String(page),
  ]);
  return `${count(details.length, 'detail')}:\n${table(['KIND', 'VALUE', 'FOUND AS', 'PAGE'], rows)}`;
}

function describeEvidence({ evidence, details }: AnalysisResult, later: Evidence[]): string {
  if (!evidence) return 'No evidence: verification checks were off when the analysis started.';
  if (details.length === 0) return 'No evidence: there was nothing to check.';
  const head = ['VALUE', 'VERDICT', 'REGISTRY', 'ITS ANSWER', 'ASKED'];
  const rows = evidenceNow(evidence, later).map((one) => [
    one.value,
    one.verdict,
    one.registry,
    describeAnswer(one),
    one.asked_at,
  ]);
  return `Evidence:\n${table(head, rows)}`;
}

function describeAnswer({ answer: record, reason }: Evidence): string | null {
  if (!record) return reason;
  const names = [record.name, ...(record.other_names ?? [])].join(' / ');
  return record.status === '' ? names : `${names} (${record.status})`;
}

function yesOrNo(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
