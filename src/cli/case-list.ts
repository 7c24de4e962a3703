import { forRegion } from '../domain/region.ts';
import type { Command } from 'commander';
import { reportingCommand, identifier, wholeNumber } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { readOrganisation, withStore } from './with-store.ts';

interface ListOptions {
  organisation?: string;
  limit: number;
  json?: boolean;
}

/** Lists cases without their files. */
export function caseListCommand(context: CliContext): Command {
  return reportingCommand('list', 'List cases, newest first.', [
    'case list --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
  ])
    .option('--organisation <id>', 'only the cases of this organisation', identifier)
    .option('--limit <number>', 'the maximum number of cases', wholeNumber(1, 100_000), 100)
    .action((options: ListOptions, command: Command) =>
      withStore(context, command, async (store, { region }) => {
        const { organisation: organisationId, limit } = options;
        if (organisationId !== undefined) await readOrganisation(store, organisationId);
        const cases = await store.listCases({ organisationId, limit });
        await printResult(context, options, cases, (layOut) =>
          cases.length === 0
            ? forRegion(
                `No cases in ${store.name}${organisationId === undefined ? '' : ' for this organisation'}. ` +
                  'Import some: document-analysis case import --help',
                region,
              )
            : layOut(
                ['CASE', 'ORGANISATION', 'LABEL', 'CREATED', 'LOCKED', 'FILES'],
                cases.map((overview) => [
                  overview.case_id,
                  overview.organisation_id,
                  overview.label,
                  overview.created_at,
                  overview.locked_at,
                  String(overview.total_files),
                ]),
              ),
        );
      }),
    );
}
