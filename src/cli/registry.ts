import { Command, Option } from 'commander';
import { forRegion, type Region } from '../domain/region.ts';
import {
  type CompanyRegister,
  type CompanyRegisterImport,
  type CompanyRegisterStore,
  type RegisterEntry,
  type RegisterName,
  registerNames,
  type RegisterOrigin,
} from '../store/company-register-store.ts';
import { nameOfInput, PathArgument, reportingCommand } from './arguments.ts';
import type { CliContext, Output } from './context.ts';
import { count, printResult } from './output.ts';
import { CliError, fileFault, printable } from './errors.ts';
import { withNewStore, withStore } from './with-store.ts';
import { basename } from 'node:path';
import { BulkFileError, mostFaults, readBulkFile, readCorporationFiles } from '../analysis/registries/register-file.ts';
import { openRegisterFile } from '../analysis/registries/register-archive.ts';
import { withProgress } from './progress.ts';

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
const nouns: Record<RegisterName, [singular: string, plural: string]> = {
  'uk-companies': ['company', 'companies'],
  'ca-corporations': ['corporation', 'corporations'],
};

const filesToImport: Record<RegisterName, string> = {
  'uk-companies': 'companies.csv',
  'ca-corporations': 'corporations-*-en.csv',
};

/** The command that imports a register in a region. */
export function importCommandOf(register: RegisterName, region: Region): string {
  const option = register === registerOfRegion[region] ? '' : `--register ${register} `;
  return forRegion(`document-analysis registry import ${option}${filesToImport[register]}`, region);
}

/** Imports the bulk files of a register. */
function registryImportCommand(context: CliContext): Command {
  return reportingCommand('import', 'Import a register of companies, replacing the previous import.', [
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
    .action((files: string[], options: { json?: boolean; register?: RegisterName }, command: Command) =>
      withNewStore(context, command, async (store, { region }) => {
        const register = options.register ?? registerOfRegion[region];
        refuseParts(register, files);
        const former = await store.readCompanyRegister(register);
        const origin = { source: files.map(sourceOf).join(', '), imported_at: context.now().toISOString() };
        const names = files.map((file) => printable(nameOfInput(file))).join(', ');
        const imported = await findInputs(register, files, context.stdin)
          .then((inputs) =>
            importRegister(store, {
              register,
              origin,
              output: context.stderr,
              bytes: inputs.every(({ bytes }) => bytes > 0) ? sum(inputs.map(({ bytes }) => bytes)) : 0,
              read: (onBytes) => readRegister(register, inputs, onBytes),
            }),
          )
          .catch((error: unknown) => {
            throw describe(error, names, files.length > 1);
          });
        await printResult(context, options, { ...imported, replaced: former ?? null }, () =>
          [
            `Imported ${companies(imported.companies, register)} from ${names}.`,
            ...(former
              ? [`They replace ${companies(former.companies, register)} imported at ${former.imported_at}.`]
              : []),
          ].join('\n'),
        );
      }),
    );
}

/** "1 company", "2 companies". */
export function companies(number: number, register: RegisterName = 'uk-companies'): string {
  return number === 1 ? `1 ${nouns[register][0]}` : `${number} ${nouns[register][1]}`;
}

function refuseParts(register: RegisterName, files: readonly string[]): void {
  if (register !== 'uk-companies') return;
  const part = files.find((file) => nameOfPart.test(file));
  if (part !== undefined)
    throw new CliError(
      `Nothing was imported: ${printable(part)} is one part of the register and would replace all of it. ` +
        'Import BasicCompanyDataAsOneFile.',
    );
  if (files.length > 1)
    throw new CliError(
      'Nothing was imported: the UK register is a single file. Import BasicCompanyDataAsOneFile only.',
    );
}

interface Input {
  name: string;
  content: AsyncIterable<string | Uint8Array>;
  /** The total size; 0 if unknown. */
  bytes: number;
}

/** Opens each input file. @throws the errors of opening it */
async function findInputs(
  register: RegisterName,
  files: readonly string[],
  stdin: NodeJS.ReadableStream,
): Promise<Input[]> {
  const inputs = await Promise.all(
    files.map(async (file) => {
      if (file === '-') return { name: sourceOf(file), content: stdin, bytes: 0, archived: undefined };
      return { name: sourceOf(file), ...(await openRegisterFile(file)) };
    }),
  );
  refuseParts(
    register,
    inputs.flatMap(({ archived }) => archived ?? []),
  );
  return inputs;
}

function readRegister(
  register: RegisterName,
  inputs: readonly Input[],
  onBytes: (read: number) => void = () => undefined,
): AsyncGenerator<RegisterEntry[]> {
  let read = 0;
  const counted = inputs.map(({ name, content }) => ({
    name,
    content: (async function* () {
      for await (const chunk of content) {
        onBytes((read += chunk.length));
        yield chunk;
      }
    })(),
  }));
  if (register === 'ca-corporations') return readCorporationFiles(counted);
  const [file] = counted;
  if (!file) throw new Error('there is no file to read');
  return readBulkFile(file.content);
}

function sourceOf(file: string): string {
  return file === '-' ? 'standard input' : basename(file);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function describe(error: unknown, names: string, several: boolean): unknown {
  if (error instanceof BulkFileError)
    return new CliError(
      `Nothing was imported: ${names} ${several ? 'have' : 'has'} ${error.faults.length === mostFaults ? 'at least ' : ''}` +
        `${count(error.faults.length, 'fault')}:\n${error.message}`,
    );
  const fault = fileFault(error);
  const path = (error as { path?: unknown }).path;
  return fault === undefined
    ? error
    : new CliError(`${typeof path === 'string' ? printable(path) : names} cannot be read: ${fault}.`);
}

/** The input of an import, and the stream that shows its progress. */
interface RegisterInput {
  readonly register: RegisterName;
  readonly origin: RegisterOrigin;
  readonly output: Output;
  /** The total size of its files; 0 if unknown. */
  readonly bytes: number;
  readonly read: (onBytes?: (read: number) => void) => AsyncIterable<RegisterEntry[]>;
}

/** Imports a register, all or nothing. @throws the errors of reading and of storing it */
export async function importRegister(
  store: CompanyRegisterStore,
  { register, origin, output, bytes, read }: RegisterInput,
): Promise<CompanyRegister> {
  let begun: CompanyRegisterImport | undefined;
  try {
    let added = 0;
    const started = await withProgress(output, { doing: 'Reading', nouns: 'bytes', total: bytes }, async (onBytes) => {
      for await (const part of read(onBytes)) {
        // Start only now, so that a file of another layout changes nothing.
        begun ??= await store.startCompanyRegisterImport(register);
        await begun.add(part);
        added += part.length;
      }
      return begun;
    });
    if (!started) throw new Error('a bulk file without a company was read');
    return await withProgress(output, { doing: 'Storing', nouns: 'companies', total: added }, (onStored) =>
      started.finish(origin, onStored),
    );
  } catch (error) {
    await begun?.abandon().catch(() => undefined);
    throw error;
  }
}
