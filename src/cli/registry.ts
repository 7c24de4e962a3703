import { Command } from 'commander';
import type { Region } from '../domain/region.ts';
import type { CompanyRegister, RegisterName } from '../store/company-register-store.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { printable } from './printable.ts';
import { companies, importCommandOf, registryImportCommand } from './registry-import.ts';
import { withStore } from './with-store.ts';

/** The commands for the registries that analyses check details against. */
export function registryCommand(context: CliContext): Command {
  return new Command('registry')
    .description('Manage the registries that numbers are checked against')
    .addCommand(registryImportCommand(context))
    .addCommand(statusCommand(context));
}

function statusCommand(context: CliContext): Command {
  return reportingCommand('status', 'Show the registry for each kind of number, and the imported registers.', [
    'registry status',
    'registry status --json',
  ]).action((options: { json?: boolean }, command: Command) =>
    withStore(context, command, async (store, { companyRegistry, vatRegistry, region }) => {
      const imported = await store.readCompanyRegister();
      const corporations = await store.readCompanyRegister('ca-corporations');
      const url = urlOf(companyRegistry);
      const vatUrl = urlOf(vatRegistry);
      const result = {
        registry: companyRegistry.kind,
        url,
        imported: imported ?? null,
        vat: { registry: vatRegistry.kind, url: vatUrl },
        corporations: { imported: corporations ?? null },
      };
      const asked = url === null ? 'the imported register' : `the API at ${printable(url)}`;
      await printResult(context, options, result, () =>
        [
          `UK company numbers: ${asked}.`,
          `  ${describeImport(imported, 'uk-companies', region)}`,
          `UK VAT numbers: ${vatUrl === null ? 'no registry. Set VAT_REGISTRY=http to use the API of HMRC' : `the API at ${printable(vatUrl)}`}.`,
          'Canadian corporation and business numbers: the imported register.',
          `  ${describeImport(corporations, 'ca-corporations', region)}`,
          'GST/HST accounts: there is no public register.',
        ].join('\n'),
      );
    }),
  );
}

function urlOf(config: { kind: 'local' | 'none' } | { kind: 'http'; url: URL }): string | null {
  return config.kind === 'http' ? config.url.href : null;
}

function describeImport(imported: CompanyRegister | undefined, register: RegisterName, region: Region): string {
  return imported
    ? `Imported from ${printable(imported.source)} at ${imported.imported_at}: ${companies(imported.companies, register)}.`
    : `Not imported yet. Import it: ${importCommandOf(register, region)}`;
}
