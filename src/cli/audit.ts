import { Command } from 'commander';
import { type AuditEntry, type FeatureUpdateEntry, isAnalysisEnd, isSettingUpdate } from '../domain/audit.ts';
import { reportingCommand, identifier, wholeNumber } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { readOrganisation, withStore } from './with-store.ts';

interface ListOptions {
  organisation?: string;
  limit: number;
  json?: boolean;
}

/** The command for the audit log. */
export function auditCommand(context: CliContext): Command {
  return new Command('audit').description('Read the audit log').addCommand(listCommand(context));
}

function listCommand(context: CliContext): Command {
  return reportingCommand('list', 'List audit entries, newest first.', [
    'audit list --limit 10',
    'audit list --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --json',
  ])
    .option('--organisation <id>', 'only the entries of this organisation', identifier)
    .option('--limit <number>', 'the maximum number of entries', wholeNumber(1, 100_000), 100)
    .action((options: ListOptions, command: Command) =>
      withStore(context, command, async (store) => {
        const { organisation: organisationId, limit } = options;
        if (organisationId !== undefined) await readOrganisation(store, organisationId);
        const entries = await store.listAuditEntries({ organisationId, limit });
        await printResult(context, options, entries, (layOut) =>
          entries.length === 0
            ? organisationId === undefined
              ? `No audit entries yet in ${store.name}.`
              : `No audit entries of this organisation yet in ${store.name}.`
            : layOut(
                ['TIME', 'ORGANISATION', 'CREDENTIAL', 'ACTION', 'BEFORE', 'AFTER', 'CLEARED', 'REQUEST', 'FILE'],
                entries.map((entry) => [
                  entry.occurred_at,
                  entry.organisation_id,
                  entry.credential_id,
                  entry.action,
                  ...changeOf(entry),
                  String(entry.cleared),
                  entry.request_id,
                  'file_id' in entry.after ? entry.after.file_id : null,
                ]),
              ),
        );
      }),
    );
}

/** The contents of an entry's columns BEFORE and AFTER. */
function changeOf(entry: AuditEntry): [before: string, after: string] {
  if (isSettingUpdate(entry)) return [onOrOff(entry.before), onOrOff(entry.after)];
  if (entry.action === 'file.evidence.added')
    return [`${entry.before.unavailable} unavailable`, `${entry.after.unavailable} unavailable`];
  if (!isAnalysisEnd(entry)) return [featureOf(entry.before), featureOf(entry.after)];
  const { analysis_status: after, from_cache: fromCache } = entry.after;
  return [entry.before.analysis_status, fromCache ? `${after} (cached)` : after];
}

function featureOf({ feature, enabled }: FeatureUpdateEntry['after']): string {
  return `${feature} ${onOrOff({ enabled })}`;
}

function onOrOff({ enabled }: { enabled: boolean }): string {
  return enabled ? 'on' : 'off';
}
