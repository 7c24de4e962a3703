import { basename } from 'node:path';
import type { Command } from 'commander';
import { BulkFileError, mostFaults, readBulkFile } from '../analysis/registries/bulk-file.ts';
import { openRegisterFile } from '../analysis/registries/register-archive.ts';
import type {
  CompanyRegister,
  CompanyRegisterImport,
  CompanyRegisterStore,
  RegisterOrigin,
} from '../store/company-register-store.ts';
import { reportingCommand } from './arguments.ts';
import type { CliContext, Output } from './context.ts';
import { CliError, fileFault } from './errors.ts';
import { printResult, count, printable } from './output.ts';
import { withProgress } from './progress.ts';
import { nameOfInput } from './read-json.ts';
import { withStore } from './with-store.ts';

const fileFormat = `
FILE is the UK register's free company data product: BasicCompanyDataAsOneFile-….zip, as it is published, or unpacked.
An archive that was cut or damaged is refused. An unpacked file that was cut at the end of a line is not noticed.
It takes the place of what was imported before once all of it is stored; until then, and on any fault, that stays. Servers
can go on meanwhile. An import that begins while another one runs ends that one.`;

/** The publisher offers the register in parts as well, as in `BasicCompanyData-2026-11-01-part1_7.zip`. */
const nameOfPart = /-part\d+_\d+\.(csv|zip)$/i;

/** Imports the bulk file of the UK register. */
export function registryImportCommand(context: CliContext): Command {
  return reportingCommand('import', 'Import the UK register of companies, in the place of the one imported before.', [
    'registry import BasicCompanyDataAsOneFile-2026-11-01.zip',
    'registry import - < companies.csv',
  ])
    .argument('<file>', 'a ZIP archive or a CSV file, or - for the CSV on the standard input')
    .addHelpText('after', fileFormat)
    .action((file: string, options: { json?: boolean }, command: Command) => {
      refusePart(file);
      return withStore(context, command, async (store) => {
        const former = await store.readCompanyRegister();
        const origin = {
          source: file === '-' ? 'standard input' : basename(file),
          imported_at: context.now().toISOString(),
        };
        const register = await openInput(file, context.stdin)
          .then((input) => importRegister(store, input, origin, context.stderr))
          .catch((error: unknown) => {
            throw describe(error, printable(nameOfInput(file)));
          });
        await printResult(context, options, { ...register, replaced: former ?? null }, () =>
          [
            `Imported ${companies(register.companies)} from ${printable(nameOfInput(file))}.`,
            ...(former ? [`They take the place of ${companies(former.companies)} of ${former.imported_at}.`] : []),
          ].join('\n'),
        );
      });
    });
}

/** "1 company", "2 companies". */
export function companies(number: number): string {
  return number === 1 ? '1 company' : `${number} companies`;
}

interface Input {
  content: AsyncIterable<string | Uint8Array>;
  /** 0 if nobody knows how many will come. */
  bytes: number;
}

async function openInput(file: string, stdin: NodeJS.ReadableStream): Promise<Input> {
  if (file === '-') return { content: stdin, bytes: 0 };
  const { archived, ...input } = await openRegisterFile(file);
  refusePart(archived ?? file);
  return input;
}

function refusePart(name: string): void {
  if (nameOfPart.test(name))
    throw new CliError(
      `Nothing is imported: ${printable(name)} is one part of the register, and would take the place of all of it. ` +
        'Import BasicCompanyDataAsOneFile.',
    );
}

async function importRegister(
  store: CompanyRegisterStore,
  { content, bytes }: Input,
  origin: RegisterOrigin,
  output: Output,
): Promise<CompanyRegister> {
  let begun: CompanyRegisterImport | undefined;
  try {
    let added = 0;
    const started = await withProgress(output, { doing: 'Reading', nouns: 'bytes', total: bytes }, async (onBytes) => {
      for await (const part of readBulkFile(counted(content, onBytes))) {
        // Only now, so that a file of another layout changes nothing at all.
        begun ??= await store.startCompanyRegisterImport();
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

async function* counted(
  content: Input['content'],
  onBytes: (read: number) => void = () => undefined,
): AsyncGenerator<string | Uint8Array> {
  let read = 0;
  for await (const chunk of content) {
    onBytes((read += chunk.length));
    yield chunk;
  }
}

function describe(error: unknown, name: string): unknown {
  if (error instanceof BulkFileError)
    return new CliError(
      `Nothing is imported: ${name} has ${error.faults.length === mostFaults ? 'at least ' : ''}` +
        `${count(error.faults.length, 'fault')}:\n${error.message}`,
    );
  const fault = fileFault(error);
  return fault === undefined ? error : new CliError(`${name} cannot be read: ${fault}.`);
}
