import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
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
import type { FileAnalysis } from '../store/parts/analyses.ts';
import type { RegisterName } from '../store/staged-imports.ts';
import type { Store } from '../store/store.ts';
import { duration, identifier } from './arguments.ts';
import { commandGroup, readOrganisation, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { count, fieldsOf, type LayOut } from './output.ts';
import { importCommandOf } from './registry.ts';

const pollMilliseconds = 200;

type ShownAnalysis = ReturnType<typeof shownOf>;

export function analysisCommand(context: CliContext): Command {
  return commandGroup(context, 'analysis', 'Show what was found in files', [showCommand]);
}

function showCommand(context: CliContext): Command {
  const description = 'Show the analysis of a file: its status, the numbers found, and the evidence from registries.';
  return new ReportingCommand(context, 'show', description, [
    'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 --json',
    'analysis show 0b7c9f6e-2a51-4c55-8a3e-5d6f1f0f8a11 --wait 60s',
  ])
    .argument('<file>', "the file's identifier; `case show` lists those of a case", identifier)
    .option('--wait <duration>', 'wait for the analysis to end, and fail if it takes longer', duration)
    .onStore(async ({ store, config, options, report }: StoreRun<{ wait?: number }>, fileId: string) => {
      let found = await store.readAnalysis(fileId);
      for (let left = options.wait; left !== undefined && !hasEnded(found); left -= pollMilliseconds) {
        if (left <= 0)
          throw new OperatorError(
            `The file is still ${found.analysis_status}. Is a server running? Without one, run: document-analysis analyse`,
          );
        await pause(pollMilliseconds);
        found = await store.readAnalysis(fileId);
      }
      const shown = shownOf(found);
      const hints = await hintsOf(shown, store, config);
      await report(shown, (layOut) => [describe(shown, layOut), ...hints].join('\n'));
    });
}

function shownOf({ content_sha256: sha256, result, ...facts }: FileAnalysis) {
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
  const overview = fieldsOf(layOut, fields);
  if (!result) return overview;
  return [overview, describeDetails(result, layOut), describeEvidence(result, later ?? [], layOut)].join('\n\n');
}

function describeText({ outcome, pages, characters }: AnalysisResult['text']): string {
  const of = pages === null ? '' : ` on ${count(pages, 'page')}`;
  return outcome === 'text' ? `${count(characters, 'character')}${of}` : `no text${of}: images and scans are not read`;
}

function describeDetails({ details }: AnalysisResult, layOut: LayOut): string {
  if (details.length === 0) return 'No details found.';
  return `${count(details.length, 'detail')}:\n${layOut(details, ['kind', 'value', 'found_as', 'page'])}`;
}

function describeEvidence(
  { evidence, details, checks_prevented_by: preventedBy }: AnalysisResult,
  later: Evidence[],
  layOut: LayOut,
): string {
  if (!evidence) return `No evidence: ${describePrevention(preventedBy)}.`;
  if (details.length === 0) return 'No evidence: there are no details to check.';
  const columns = ['value', 'verdict', 'registry', ['RESPONSE', describeResponse], 'asked_at'] as const;
  return `Evidence:\n${layOut(evidenceNow(evidence, later), columns)}`;
}

function describePrevention(preventedBy: ChecksPreventedBy | undefined): string {
  if (preventedBy === undefined) return 'no verification checks ran';
  const what = {
    setting: 'the verification setting was off',
    feature: `the organisation did not have the feature ${verificationFeature}`,
  };
  return `${what[preventedBy]} when the analysis started`;
}

function describeResponse({ record, reason }: Evidence): string | null {
  if (!record) return reason;
  const names = [record.name, ...(record.other_names ?? [])].join(' / ');
  return record.status === '' ? names : `${names} (${record.status})`;
}
