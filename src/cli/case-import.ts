import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Tokenizer, TokenizerError, TokenParser, TokenParserError } from '@streamparser/json';
import type { Command } from 'commander';
import { importableStatuses, unknownMediaType } from '../domain/case.ts';
import { CaseReader, Faults } from '../domain/case-import.ts';
import type { StagedCases } from '../store/staged-imports.ts';
import { identifier, nameOfInput, PathArgument } from './arguments.ts';
import { readOrganisation, ReportingCommand, type StoreRun } from './command.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { fileFault } from './errors.ts';
import { count } from './output.ts';
import { withProgress } from './progress.ts';

const shownFaults = 20;
const longBytes = 10_000_000;

const fileFormat = `
FILE contains a JSON array of cases, in the form of the API's responses. Fields that can be derived may be omitted:
  [{ "label": "Supplier onboarding", "created_at": "2026-03-02T09:15:00Z", "files": [
     { "label": "invoice.pdf", "uploaded_at": "2026-03-02T09:16:00Z", "mime_type": "application/pdf",
       "thumbnail_url": "https://files.example/5b0c7f2e91d84a36c0e7.webp",
       "analysis_status": "analysis_complete", "analysis_completed_at": "2026-03-02T09:18:30Z" }] }]
A file is ${importableStatuses.join(' or ')}: it comes without content, so it is never analysed. Its
thumbnail_url must not contain its file_id. While it is waiting_for_upload, its type is ${unknownMediaType}.
Either all cases are imported or none. A case that already exists is refused, not updated.`;

export function caseImportCommand(context: CliContext): Command {
  return new ReportingCommand(context, 'import', 'Import cases and their files.', [
    'case import cases.json --organisation 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10',
    'case show CASE --json | jq --slurp . | document-analysis case import - --region ca --organisation ID',
  ])
    .addArgument(new PathArgument('<file>', 'a JSON file, or - to read standard input'))
    .requiredOption('--organisation <id>', 'the organisation that will own the cases', identifier)
    .addHelpText('after', fileFormat)
    .onStore(async (run: StoreRun<{ organisation: string; json?: boolean }>, file: string) => {
      const { store, options, report } = run;
      const { organisation_id: organisationId } = await readOrganisation(store, options.organisation);
      const { StagedCases } = await import('../store/staged-imports.ts');
      const staged = new StagedCases();
      try {
        await stage(file, context, staged);
        await withProgress(context.stderr, { doing: 'Importing', nouns: 'files', total: staged.files }, (onFile) =>
          store.importCases(organisationId, staged, onFile),
        );
        const result = {
          organisation_id: organisationId,
          imported_cases: staged.cases,
          imported_files: staged.files,
          ...(options.json ? { case_ids: Array.from(staged, (imported) => imported.case_id) } : {}),
        };
        const text = `Imported ${count(staged.cases, 'case')} with ${count(staged.files, 'file')} into organisation ${organisationId}.`;
        await report(result, () => text);
      } finally {
        staged.close();
      }
    });
}

/** Reads and checks all cases before the first is stored. @throws {OperatorError} with a list of their faults */
async function stage(file: string, context: CliContext, staged: StagedCases): Promise<void> {
  const faults = new Faults(shownFaults);
  const reader = new CaseReader(staged, faults);
  const total = file === '-' ? 0 : ((await stat(file).catch(() => undefined))?.size ?? 0);
  const reading = { doing: 'Reading', nouns: 'bytes', total, isLong: total > longBytes };
  await withProgress(context.stderr, reading, (onBytes) => readCases(file, context.stdin, reader, onBytes)).catch(
    (error: unknown) => {
      const { code, message } = error as Error & { code?: string };
      if (code?.startsWith('SQLITE_') !== true) throw error;
      throw new OperatorError(
        `Nothing was imported: the temporary file cannot be written: ${message}. ` +
          'Free disk space, or set TMPDIR to another folder.',
      );
    },
  );
  for (const { place, message } of staged.repetitions()) faults.add(place, message);
  if (faults.count > 0) throw new OperatorError(describeFaults(nameOfInput(file), faults));
}

function describeFaults(name: string, { count: total, shown }: Faults): string {
  const lines = shown.map(({ place, message }) => `${place}: ${message}`);
  const more = total > shown.length ? [`... and ${total - shown.length} more`] : [];
  return [`Nothing was imported: ${name} has ${count(total, 'fault')}:`, ...lines, ...more].join('\n');
}

/** Receives each file as soon as it is read, and each case after its files: memory use does not grow with their number. */
type CaseParts = Pick<CaseReader, 'file' | 'case'>;

/**
 * Reads cases from a file, or standard input if it is `-`. `onBytes` is called with the number of bytes read so far.
 * @throws {OperatorError} if the file cannot be read, or is not a JSON array
 */
export async function readCases(
  file: string,
  stdin: NodeJS.ReadableStream,
  parts: CaseParts,
  onBytes?: (bytes: number) => void,
): Promise<void> {
  const name = nameOfInput(file);
  const parser = new CaseParser(name, parts);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const source: AsyncIterable<string | Uint8Array> = file === '-' ? stdin : createReadStream(file);
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      decoder.decode(bytes, { stream: true });
      const read = parser.write(bytes);
      onBytes?.(read);
    }
    decoder.decode();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new OperatorError(`${name} is not UTF-8 text.`);
    const fault = fileFault(error);
    throw fault === undefined ? error : new OperatorError(`${name} cannot be read: ${fault}.`);
  }
  parser.end();
}

const lineFeed = 10;

/** The maximum length of a file or of a case without files, kept in memory: a hundred times the longest valid one. */
const maxPartBytes = 8 * 1024 * 1024;

class CaseParser {
  readonly #name: string;
  readonly #tokenizer = new Tokenizer();
  readonly #values = new TokenParser({ paths: ['$.*.files.*', '$.*', '$'] });
  /** Offsets in the input: the start of the last token, and below of the current line and chunk. */
  #token = 0;
  #line = { number: 1, start: 0 };
  #read = 0;
  #taken = 0;
  #cases = 0;
  #isEmpty = true;

  constructor(name: string, parts: CaseParts) {
    this.#name = name;
    this.#tokenizer.onToken = (token) => {
      this.#isEmpty = false;
      this.#token = token.offset;
      this.#values.write(token);
    };
    this.#values.onValue = ({ value, key, parent, stack }) => {
      const isElement = Array.isArray(parent) && typeof key === 'number';
      if (stack.length === 0) this.#requireArray(value);
      else if (stack.length === 1) {
        this.#requireArray(parent);
        if (isObject(value) && Array.isArray(value['files'])) value['files'] = [];
        parts.case(value, { caseIndex: this.#cases });
        this.#cases += 1;
      } else if (isElement) parts.file(value, { caseIndex: this.#cases, fileIndex: key });
      // Free the parts already passed on.
      if (isElement) {
        parent.length = 0;
        this.#taken = this.#token;
      }
    };
  }

  write(bytes: Uint8Array): number {
    try {
      this.#tokenizer.write(bytes);
    } catch (error) {
      throw this.#describe(error, bytes);
    }
    this.#countLines(bytes, bytes.length);
    this.#read += bytes.length;
    if (this.#read - this.#taken > maxPartBytes)
      throw new OperatorError(`${this.#name} has a case or file of more than 8 MiB, up to line ${this.#line.number}.`);
    return this.#read;
  }

  end(): void {
    try {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end();
    } catch (error) {
      // Incomplete input is reported below.
      if (error instanceof OperatorError) throw error;
    }
    if (this.#isEmpty) throw new OperatorError(`${this.#name} is empty. It must be a JSON array of cases.`);
    if (!this.#values.isEnded)
      throw new OperatorError(`${this.#name} is not valid JSON: it ends before the array does.`);
  }

  #requireArray(value: unknown): void {
    if (!Array.isArray(value)) throw new OperatorError(`${this.#name} is not a JSON array of cases.`);
  }

  #describe(error: unknown, bytes: Uint8Array): unknown {
    if (!(error instanceof TokenizerError || error instanceof TokenParserError)) return error;
    const at = Number(/position "(\d+)"\)/.exec(error.message)?.[1] ?? this.#token);
    this.#countLines(bytes, at - this.#read);
    const what = error.message.replace(/ (at chunk position|in state) .*/s, '').slice(0, 60);
    return new OperatorError(
      `${this.#name} is not valid JSON: ${what}, line ${this.#line.number}, column ${at - this.#line.start + 1}.`,
    );
  }

  #countLines(bytes: Uint8Array, end: number): void {
    for (let at = bytes.indexOf(lineFeed); at >= 0 && at < end; at = bytes.indexOf(lineFeed, at + 1))
      this.#line = { number: this.#line.number + 1, start: this.#read + at + 1 };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
