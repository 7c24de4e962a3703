/**
 * Reads a JSON array of cases incrementally: it passes on each file as soon as it is read, and each case after its
 * files. Memory use does not grow with the number of cases or files.
 */
import { createReadStream } from 'node:fs';
import { Tokenizer, TokenizerError, TokenParser, TokenParserError } from '@streamparser/json';
import type { CasePlace, FilePlace } from '../domain/case-import.ts';
import { CliError, fileFault } from './errors.ts';
import { nameOfInput } from './input-name.ts';

/** Receives the parts. */
export interface CaseParts {
  file(value: unknown, at: FilePlace): void;
  /** Called after the files of the case. If `files` was an array, it is empty here. */
  case(value: unknown, at: CasePlace): void;
}

/**
 * Reads cases from a file, or from standard input if the name is `-`. `onBytes` is called with the number of bytes read
 * so far.
 * @throws {CliError} if the file cannot be read, or is not a JSON array
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
    if (isCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')) throw new CliError(`${name} is not UTF-8 text.`);
    const fault = fileFault(error);
    throw fault === undefined ? error : new CliError(`${name} cannot be read: ${fault}.`);
  }
  parser.end();
}

const lineFeed = 10;

/**
 * The maximum length of one file, or of one case without its files, in the input, which the parser keeps in memory. It
 * is a hundred times the length of the longest valid one.
 */
const longestPart = 8 * 1024 * 1024;

class CaseParser {
  readonly #name: string;
  readonly #tokenizer = new Tokenizer();
  readonly #values = new TokenParser({ paths: ['$.*.files.*', '$.*', '$'] });
  /** Offsets in the input: the start of the last token, and below of the current line and chunk. */
  #token = 0;
  #line = { number: 1, start: 0 };
  #read = 0;
  /** The end of the last part. */
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

  /** Reads a chunk. @returns the total number of bytes read */
  write(bytes: Uint8Array): number {
    try {
      this.#tokenizer.write(bytes);
    } catch (error) {
      throw this.#describe(error, bytes);
    }
    this.#countLines(bytes, bytes.length);
    this.#read += bytes.length;
    if (this.#read - this.#taken > longestPart)
      throw new CliError(`${this.#name} has a case or file of more than 8 MiB, up to line ${this.#line.number}.`);
    return this.#read;
  }

  end(): void {
    try {
      if (!this.#tokenizer.isEnded) this.#tokenizer.end();
    } catch (error) {
      // Incomplete input is reported below.
      if (error instanceof CliError) throw error;
    }
    if (this.#isEmpty) throw new CliError(`${this.#name} is empty. It must be a JSON array of cases.`);
    if (!this.#values.isEnded) throw new CliError(`${this.#name} is not valid JSON: it ends before the array does.`);
  }

  #requireArray(value: unknown): void {
    if (!Array.isArray(value)) throw new CliError(`${this.#name} is not a JSON array of cases.`);
  }

  #describe(error: unknown, bytes: Uint8Array): unknown {
    if (!(error instanceof TokenizerError || error instanceof TokenParserError)) return error;
    const at = Number(/position "(\d+)"\)/.exec(error.message)?.[1] ?? this.#token);
    this.#countLines(bytes, at - this.#read);
    const what = error.message.replace(/ (at chunk position|in state) .*/s, '').slice(0, 60);
    return new CliError(
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

function isCode(error: unknown, code: string): boolean {
  return isObject(error) && error['code'] === code;
}
