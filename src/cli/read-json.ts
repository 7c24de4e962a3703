import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { CliError, fileFault } from './errors.ts';

/** Reads a JSON array from a file, or from standard input if the name is `-`. @throws {CliError} */
export async function readJsonArray(file: string, stdin: NodeJS.ReadableStream): Promise<unknown[]> {
  const name = nameOfInput(file);
  const text = decode(await readBytes(file, stdin), name);
  if (text.trim() === '') throw new CliError(`${name} is empty. It must be a JSON array of cases.`);
  const value = parse(text, name);
  if (!Array.isArray(value)) throw new CliError(`${name} is not a JSON array. Put the cases between [ and ].`);
  return value as unknown[];
}

/** How messages call an input. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'the standard input' : file;
}

async function readBytes(file: string, stdin: NodeJS.ReadableStream): Promise<Buffer> {
  const name = nameOfInput(file);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const source: AsyncIterable<string | Uint8Array> = file === '-' ? stdin : createReadStream(file);
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > constants.MAX_STRING_LENGTH)
        throw new CliError(`${name} is larger than 512 MiB. Divide it and import the parts.`);
      chunks.push(bytes);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${name} cannot be read: ${fileFault(error) ?? String(error)}.`);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(`${name} is not text in UTF-8.`);
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not valid JSON: ${withLine((error as SyntaxError).message, text)}.`);
  }
}

/** Node.js tells most syntax errors with an offset; people look for a line. */
function withLine(message: string, text: string): string {
  const offset = /at position (\d+)/.exec(message)?.[1];
  if (offset === undefined) return message.replace(/\s+/g, ' ');
  const before = text.slice(0, Number(offset));
  const column = before.length - before.lastIndexOf('\n');
  return `${message.replace(/ \(line.*$/, '')}, line ${before.split('\n').length}, column ${column}`;
}
