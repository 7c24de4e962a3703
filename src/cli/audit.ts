import type { Command } from 'commander';
import { type AuditEntry, type FeatureUpdateEntry, isAnalysisEnd, isSettingUpdate } from '../domain/audit.ts';
import { commandGroup, ReportingCommand } from './command.ts';
import type { CliContext } from './context.ts';

export function auditCommand(context: CliContext): Command {
  return commandGroup(context, 'audit', 'Read the audit log', [auditListCommand]);
}

function auditListCommand(context: CliContext): Command {
  return new ReportingCommand(context, 'list', 'List audit entries, newest first.', [
    'audit list --limit 10',
    'audit list --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10 --json',
  ]).onSelection('entries', async ({ store, reportList }, selection) => {
    const entries = await store.listAuditEntries(selection);
    const ofWhom = selection.organisationId === undefined ? '' : ' of this organisation';
    await reportList(entries, `No audit entries${ofWhom} yet in ${store.name}.`, [
      ...(['occurred_at', 'organisation_id', 'credential_id', 'action'] as const),
      ['BEFORE', (entry) => changeOf(entry)[0]],
      ['AFTER', (entry) => changeOf(entry)[1]],
      ...(['cleared', 'request_id'] as const),
      ['FILE', ({ after }) => ('file_id' in after ? after.file_id : null)],
    ]);
  });
}

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
