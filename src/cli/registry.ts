import { Command } from 'commander';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult, printable } from './output.ts';
import { companies, registryImportCommand } from './registry-import.ts';
import { withStore } from './with-store.ts';

/** The commands for the registry that details of documents are compared with. */
export function registryCommand(context: CliContext): Command {
  return new Command('registry')
    .description('the registry of companies that details are compared with')
    .addCommand(registryImportCommand(context))
    .addCommand(statusCommand(context));
}

function statusCommand(context: CliContext): Command {
  return reportingCommand('status', 'Show which registry is asked, and what is imported.', [
    'registry status',
    'registry status --json',
  ]).action((options: { json?: boolean }, command: Command) =>
    withStore(context, command, async (store, { companyRegistry }) => {
      const register = await store.readCompanyRegister();
      const url = companyRegistry.kind === 'http' ? companyRegistry.url.href : null;
      const result = { registry: companyRegistry.kind, url, imported: register ?? null };
      await printResult(context, options, result, () =>
        [
          url === null ? 'The imported register is asked.' : `The API at ${printable(url)} is asked.`,
          register
            ? `Imported from ${printable(register.source)} at ${register.imported_at}: ${companies(register.companies)}.`
            : 'No register was imported. Import one with: document-analysis registry import companies.csv',
        ].join('\n'),
      );
    }),
  );
}
