import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { openRegisterFile } from '../analysis/registries/register-archive.ts';
import { BulkFileError, maxFaults, readRegister } from '../analysis/registries/register-file.ts';
import { forRegion, type Region } from '../domain/region.ts';
import { type CompanyRegister, type CompanyRegisterStore, type RegisterOrigin } from '../store/parts/registers.ts';
import { type RegisterName, registerNames } from '../store/staged-imports.ts';
import { nameOfInput, PathArgument } from './arguments.ts';
import { commandGroup, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext, Output } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { fileFault, printable } from './errors.ts';
import { count } from './output.ts';
import { withProgress } from './progress.ts';

export function registryCommand(context: CliContext): Command {
  const commands = [importCommand, statusCommand];
  return commandGroup(context, 'registry', 'Manage the registries that numbers are checked against', commands);
}

function statusCommand(context: CliContext): Command {
  const description = 'Show the registry for each kind of number, and the imported registers.';
  const examples = ['registry status', 'registry status --json'];
  return new ReportingCommand(context, 'status', description, examples).onStore(async ({ store, config, report }) => {
    const { companyRegistry, vatRegistry, region } = config;
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
    const apiAt = (address: string) => `the API at ${printable(address)}`;
    const noVat = 'no registry. Set VAT_REGISTRY=http to use the API of HMRC';
    await report(result, () =>
      [
        `UK company numbers: ${url === null ? 'the imported register' : apiAt(url)}.`,
        `  ${describeImport(imported, 'uk-companies', region)}`,
        `UK VAT numbers: ${vatUrl === null ? noVat : apiAt(vatUrl)}.`,
        'Canadian corporation and business numbers: the imported register.',
        `  ${describeImport(corporations, 'ca-corporations', region)}`,
        'GST/HST accounts: there is no public register.',
      ].join('\n'),
    );
  });
}

function urlOf(config: { kind: 'local' | 'none' } | { kind: 'http'; url: URL }): string | null {
  return config.kind === 'http' ? config.url.href : null;
}

function describeImport(imported: CompanyRegister | undefined, register: RegisterName, region: Region): string {
  return imported
    ? `Imported from ${printable(imported.source)} at ${imported.imported_at}: ${companies(imported.companies, register)}.`
    : `Not imported yet. Import it: ${importCommandOf(register, region)}`;
}

const fileFormat = `
uk-companies is one file, the free company data of the UK register: BasicCompanyDataAsOneFile-….zip, as published or unpacked.
Import the archive: a truncated or damaged archive is refused, but a CSV file truncated at the end of a line is not.
ca-corporations is four files of the same day, the federal corporations of Canada in English:
corporations-active-cbca-en.csv, -active-non-cbca-, -inactive-or-dissolved-cbca- and -inactive-or-dissolved-non-cbca-.
The previous import of the register is replaced once everything is stored. Until then, and on any failure, it stays in use.
Servers can keep running. Starting another import of the same register cancels the one in progress.`;

/** The publisher also offers the register in parts, as in `BasicCompanyData-2026-11-01-part1_7.zip`. */
const nameOfPart = /-part\d+_\d+\.(csv|zip)$/i;

const registerOfRegion: Record<Region, RegisterName> = { uk: 'uk-companies', ca: 'ca-corporations' };

const registers = {
  'uk-companies': { singular: 'company', plural: 'companies', files: 'companies.csv' },
  'ca-corporations': { singular: 'corporation', plural: 'corporations', files: 'corporations-*-en.csv' },
} satisfies Record<RegisterName, object>;

export function importCommandOf(register: RegisterName, region: Region): string {
  const option = register === registerOfRegion[region] ? '' : `--register ${register} `;
  return forRegion(`document-analysis registry import ${option}${registers[register].files}`, region);
}

function importCommand(context: CliContext): Command {
  return new ReportingCommand(context, 'import', 'Import a register of companies, replacing the previous import.', [
    'registry import BasicCompanyDataAsOneFile-2026-11-01.zip',
    'registry import - < companies.csv',
    'registry import --region ca corporations-*-en.csv',
  ])
    .addArgument(new PathArgument('<file...>', 'a ZIP archive or CSV file, or - to read CSV from standard input'))
    .addOption(
      new Option('--register <register>', 'the register (uk-companies in region uk, ca-corporations in ca)').choices(
        registerNames,
      ),
    )
    .addHelpText('after', fileFormat)
    .onNewStore(async (run: StoreRun<{ register?: RegisterName }>, files: string[]) => {
      const { store, config, options, report } = run;
      const register = options.register ?? registerOfRegion[config.region];
      refuseParts(register, files);
      const former = await store.readCompanyRegister(register);
      const origin = { source: files.map(sourceOf).join(', '), imported_at: context.now().toISOString() };
      const names = files.map((file) => printable(nameOfInput(file))).join(', ');
      const imported = await openInputs(register, files, context.stdin)
        .then((inputs) => importRegister(store, register, inputs, { origin, output: context.stderr }))
        .catch((error: unknown) => {
          throw describe(error, names, files.length > 1);
        });
      await report({ ...imported, replaced: former ?? null }, () =>
        [
          `Imported ${companies(imported.companies, register)} from ${names}.`,
          ...(former
            ? [`They replace ${companies(former.companies, register)} imported at ${former.imported_at}.`]
            : []),
        ].join('\n'),
      );
    });
}

function companies(number: number, register: RegisterName): string {
  const { singular, plural } = registers[register];
  return `${number} ${number === 1 ? singular : plural}`;
}

function refuseParts(register: RegisterName, files: readonly string[]): void {
  if (register !== 'uk-companies') return;
  const part = files.find((file) => nameOfPart.test(file));
  if (part !== undefined)
    throw new OperatorError(
      `Nothing was imported: ${printable(part)} is one part of the register and would replace all of it. ` +
        'Import BasicCompanyDataAsOneFile.',
    );
  if (files.length > 1)
    throw new OperatorError(
      'Nothing was imported: the UK register is a single file. Import BasicCompanyDataAsOneFile only.',
    );
}

interface Input {
  name: string;
  content: AsyncIterable<string | Uint8Array>;
  /** The total size; 0 if unknown. */
  bytes: number;
}

async function openInputs(
  register: RegisterName,
  files: readonly string[],
  stdin: NodeJS.ReadableStream,
): Promise<Input[]> {
  const standardInput = { content: stdin, bytes: 0, archived: undefined };
  const inputs = await Promise.all(
    files.map(async (file) => ({
      name: sourceOf(file),
      ...(file === '-' ? standardInput : await openRegisterFile(file)),
    })),
  );
  const archived = inputs.flatMap((input) => input.archived ?? []);
  refuseParts(register, archived);
  return inputs;
}

function sourceOf(file: string): string {
  return file === '-' ? 'standard input' : basename(file);
}

function describe(error: unknown, names: string, several: boolean): unknown {
  if (error instanceof BulkFileError)
    return new OperatorError(
      `Nothing was imported: ${names} ${several ? 'have' : 'has'} ${error.faults.length === maxFaults ? 'at least ' : ''}` +
        `${count(error.faults.length, 'fault')}:\n${error.message}`,
    );
  const fault = fileFault(error);
  const path = (error as { path?: unknown }).path;
  return fault === undefined
    ? error
    : new OperatorError(`${typeof path === 'string' ? printable(path) : names} cannot be read: ${fault}.`);
}

async function importRegister(
  store: CompanyRegisterStore,
  register: RegisterName,
  inputs: readonly Input[],
  { origin, output }: { origin: RegisterOrigin; output: Output },
): Promise<CompanyRegister> {
  const total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const { StagedCompanies } = await import('../store/staged-imports.ts');
  const staged = new StagedCompanies();
  try {
    await withProgress(output, { doing: 'Reading', nouns: 'bytes', total }, async (onBytes) => {
      for await (const part of readRegister(register, inputs, onBytes)) staged.add(part);
    });
    return await withProgress(output, { doing: 'Storing', nouns: 'companies', total: staged.count }, (onStored) =>
      store.importCompanyRegister(register, staged, origin, onStored),
    );
  } finally {
    staged.close();
  }
}
