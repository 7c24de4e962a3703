import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { notImported } from '../analysis/registries/registry.ts';
import {
  type AnalysisResult,
  type ChecksPreventedBy,
  type DetailKind,
  type Evidence,
  evidenceNow,
} from '../domain/analysis.ts';
import { hasEnded } from '../domain/case.ts';
import { verificationFeature } from '../domain/organisation.ts';
import { forRegion } from '../domain/region.ts';
import type { Config } from '../runtime/config.ts';
import type { FileAnalysis } from '../store/analysis-store.ts';
import type { RegisterName } from '../store/company-register-store.ts';
import type { Store } from '../store/store.ts';
import { duration, identifier, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';
import { count, type LayOut, printResult } from './output.ts';
import { importCommandOf } from './registry.ts';
import { readOrganisation, withStore } from './with-store.ts';

/** The time between two looks at a file whose analysis is waited for. */
const lookMilliseconds = 200;

/** A file's analysis as it is printed. */
type ShownAnalysis = Omit<FileAnalysis, 'content_sha256' | 'result'> & {
  content_sha256: string | null;
  result: AnalysisResult | null;
};

/** The command for analyses. */
export function analysisCommand(context: CliContext): Command {
  return new Command('analysis').description('Show what was found in files').addCommand(showCommand(context));
}

function showCommand(context: CliContext): Command {
  return reportingCommand(
    'show',
    'Show the analysis of a file: its status, the numbers found, and the evidence from registries.',
    [
      'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 --json',
      'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 --wait 60s',
    ],
  )
    .argument('<file>', "the file's identifier; `case show` lists those of a case", identifier)
    .option('--wait <duration>', 'wait for the analysis to end, and fail if it takes longer', duration)
    .action((fileId: string, options: { json?: boolean; wait?: number }, command: Command) =>
      withStore(context, command, async (store, config) => {
        let found = await store.readAnalysis(fileId);
        for (let left = options.wait; left !== undefined && !hasEnded(found); left -= lookMilliseconds) {
          if (left <= 0)
            throw new CliError(
              `The file is still ${found.analysis_status}. Is a server running? Without one, run: document-analysis analyse`,
            );
          await pause(lookMilliseconds);
          found = await store.readAnalysis(fileId);
        }
        const shown = shownOf(found);
        const hints = await hintsOf(shown, store, config);
        await printResult(context, options, shown, (layOut) => [describe(shown, layOut), ...hints].join('\n'));
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

const registerOf: Partial<Record<DetailKind, RegisterName>> = {
  'uk-company-number': 'uk-companies',
  'ca-corporation-number': 'ca-corporations',
  'ca-business-number': 'ca-corporations',
};

/** What the operator can do now about missing evidence. The evidence itself is permanent, so it names no command. */
async function hintsOf(
  { organisation_id: organisationId, result, later_evidence: later }: ShownAnalysis,
  store: Store,
  { region }: Config,
): Promise<string[]> {
  if (!result) return [];
  if (!result.evidence) {
    const { features } = await readOrganisation(store, organisationId);
    const give = `document-analysis organisation feature ${organisationId} ${verificationFeature} on`;
    const lacks = `The organisation does not have the feature ${verificationFeature}. To give it: ${give}`;
    return features.includes(verificationFeature) ? [] : [forRegion(lacks, region)];
  }
  const withoutImport = evidenceNow(result.evidence, later ?? []).filter(({ reason }) => reason === notImported);
  const registers = new Set(withoutImport.flatMap(({ kind }) => registerOf[kind] ?? []));
  const hints: string[] = [];
  for (const register of registers)
    if (!(await store.readCompanyRegister(register)))
      hints.push(`To import the register ${register}: ${importCommandOf(register, region)}`);
  return hints;
}

function describe({ result, failure, later_evidence: later, ...facts }: ShownAnalysis, layOut: LayOut): string {
  const fields = {
    ...facts,
    ...(failure && { failure: `${failure.code}: ${failure.message}` }),
    ...(result && { text: describeText(result.text) }),
  };
  const overview = layOut(
    ['FIELD', 'VALUE'],
    Object.entries(fields).map(([name, value]) => [name, value === null ? null : yesOrNo(value)]),
  );
  if (!result) return overview;
  return [overview, describeDetails(result, layOut), describeEvidence(result, later ?? [], layOut)].join('\n\n');
}

function describeText({ outcome, pages, characters }: AnalysisResult['text']): string {
  const of = pages === null ? '' : ` on ${count(pages, 'page')}`;
  return outcome === 'text' ? `${count(characters, 'character')}${of}` : `no text${of}: images and scans are not read`;
}

function describeDetails({ details }: AnalysisResult, layOut: LayOut): string {
  if (details.length === 0) return 'No details found.';
  const rows = details.map(({ kind, value, found_as: foundAs, page }) => [
    kind,
    value,
    foundAs,
    page === null ? null : String(page),
  ]);
  return `${count(details.length, 'detail')}:\n${layOut(['KIND', 'VALUE', 'FOUND AS', 'PAGE'], rows)}`;
}

function describeEvidence(
  { evidence, details, checks_prevented_by: preventedBy }: AnalysisResult,
  later: Evidence[],
  layOut: LayOut,
): string {
  if (!evidence) return `No evidence: ${describePrevention(preventedBy)}.`;
  if (details.length === 0) return 'No evidence: there are no details to check.';
  const head = ['VALUE', 'VERDICT', 'REGISTRY', 'RESPONSE', 'ASKED'];
  const rows = evidenceNow(evidence, later).map((one) => [
    one.value,
    one.verdict,
    one.registry,
    describeResponse(one),
    one.asked_at,
  ]);
  return `Evidence:\n${layOut(head, rows)}`;
}

function describePrevention(preventedBy: ChecksPreventedBy | undefined): string {
  if (preventedBy === 'feature')
    return `the organisation did not have the feature ${verificationFeature} when the analysis started`;
  return preventedBy === 'setting'
    ? 'the verification setting was off when the analysis started'
    : 'no verification checks ran';
}

function describeResponse({ record, reason }: Evidence): string | null {
  if (!record) return reason;
  const names = [record.name, ...(record.other_names ?? [])].join(' / ');
  return record.status === '' ? names : `${names} (${record.status})`;
}

function yesOrNo(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
