import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { BulkFileError, mostFaults } from '../analysis/registries/bulk-file-error.ts';
import { readBulkFile } from '../analysis/registries/bulk-file.ts';
import { readCorporationFiles } from '../analysis/registries/corporation-files.ts';
import type { Region } from '../domain/region.ts';
import { type RegisterEntry, type RegisterName, registerNames } from '../store/company-register-store.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { CliError, fileFault } from './errors.ts';
import { importRegister } from './import-register.ts';
import { printResult, count, printable } from './output.ts';
import { nameOfInput } from './read-json.ts';
import { withStore } from './with-store.ts';

const fileFormat = `
With --register uk-companies, FILE is the UK register's free company data product, unpacked: BasicCompanyDataAsOneFile-….csv.
unzip -p FILE.zip | document-analysis registry import - spares unpacking it.
With --register ca-corporations, there are four files, the English CSV files of the federal corporations of Canada, of one day:
corporations-active-cbca-en.csv, -active-non-cbca-, -inactive-or-dissolved-cbca- and -inactive-or-dissolved-non-cbca-.
What is imported takes the place of what was imported of that register before once all of it is stored; until then, and on any
fault, that stays. Servers can go on meanwhile. An import that begins while another one of the register runs ends that one.`;

/** The publisher offers the register in parts as well, as in `BasicCompanyData-2026-11-01-part1_7.csv`. */
const nameOfPart = /-part\d+_\d+\.csv$/i;

const registerOfRegion: Record<Region, RegisterName> = { uk: 'uk-companies', ca: 'ca-corporations' };
const nouns: Record<RegisterName, [singular: string, plural: string]> = {
  'uk-companies': ['company', 'companies'],
  'ca-corporations': ['corporation', 'corporations'],
};

/** Imports the bulk files of a register. */
export function registryImportCommand(context: CliContext): Command {
  return reportingCommand('import', 'Import a register of companies, in the place of the one imported before.', [
    'registry import BasicCompanyDataAsOneFile.csv',
    'registry import - < companies.csv',
    'registry import --region ca corporations-*-en.csv',
  ])
    .argument('<file...>', 'a CSV file, or - for the standard input')
    .addOption(
      new Option(
        '--register <register>',
        'which register it is (uk-companies in region uk, ca-corporations in ca)',
      ).choices(registerNames),
    )
    .addHelpText('after', fileFormat)
    .action((files: string[], options: { json?: boolean; register?: RegisterName }, command: Command) =>
      withStore(context, command, async (store, { region }) => {
        const register = options.register ?? registerOfRegion[region];
        refuseParts(register, files);
        const former = await store.readCompanyRegister(register);
        const origin = { source: files.map(sourceOf).join(', '), imported_at: context.now().toISOString() };
        const names = files.map((file) => printable(nameOfInput(file))).join(', ');
        const imported = await findInputs(files, context.stdin)
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
            throw describe(error, names);
          });
        await printResult(context, options, { ...imported, replaced: former ?? null }, () =>
          [
            `Imported ${companies(imported.companies, register)} from ${names}.`,
            ...(former
              ? [`They take the place of ${companies(former.companies, register)} of ${former.imported_at}.`]
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
      `Nothing is imported: ${printable(part)} is one part of the register, and would take the place of all of it. ` +
        'Import BasicCompanyDataAsOneFile.',
    );
  if (files.length > 1)
    throw new CliError('Nothing is imported: the UK register is one file. Import BasicCompanyDataAsOneFile alone.');
}

interface Input {
  name: string;
  content: AsyncIterable<string | Uint8Array>;
  /** 0 if nobody knows how many will come. */
  bytes: number;
}

/** Each file is opened when its turn comes. @throws what looking for one of them does */
async function findInputs(files: readonly string[], stdin: NodeJS.ReadableStream): Promise<Input[]> {
  return Promise.all(
    files.map(async (file) =>
      file === '-'
        ? { name: sourceOf(file), content: stdin, bytes: 0 }
        : { name: sourceOf(file), content: contentOf(file), bytes: (await stat(file)).size },
    ),
  );
}

async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>;
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

function describe(error: unknown, names: string): unknown {
  if (error instanceof BulkFileError)
    return new CliError(
      `Nothing is imported: ${names} has ${error.faults.length === mostFaults ? 'at least ' : ''}` +
        `${count(error.faults.length, 'fault')}:\n${error.message}`,
    );
  const fault = fileFault(error);
  const path = (error as { path?: unknown }).path;
  return fault === undefined
    ? error
    : new CliError(`${typeof path === 'string' ? printable(path) : names} cannot be read: ${fault}.`);
}
