/** What several commands share: values of options, and the document of --openapi. */
import { InvalidArgumentError } from 'commander';
import { DocumentError, loadDocument } from '../document/index.ts';
import { createAjv, jsonSchemaOf, withSubschemas } from '../document/schemas.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import { UsageError } from '../run/errors.ts';
import { type Output, print, printable } from './run-command.ts';

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

export const largestSeed = 2 ** 31 - 1;

/** Parses a number of seconds, at most a day. */
export function duration(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 86400.');
  return value;
}

/**
 * The base address of an API, without a trailing slash. Messages do not repeat it, because it may contain a password.
 * @throws {UsageError} if the option's value is not a base address
 */
export function baseUrlOf(text: string, option: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new UsageError(
      `${option} must be a base address such as https://api.example.com, without user name, query and fragment`,
    );
  return url.href.replace(/\/+$/, '');
}

export const port = wholeNumber(0, 65_535);

/**
 * The port to listen on: that of the option, else of the environment, else the default.
 * @throws {UsageError} if the environment variable is not a port
 */
export function portOf(option: { readonly port?: number }, { PORT }: NodeJS.ProcessEnv, otherwise: number): number {
  if (option.port !== undefined || !PORT) return option.port ?? otherwise;
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535)
    throw new UsageError(`PORT must be a whole number from 0 to 65535, not "${PORT}"`);
  return Number(PORT);
}

/**
 * The document to check against, by default the project's own.
 * @param stderr receives warnings about parts of it that are left out
 * @throws {UsageError} if the document of --openapi is not supported
 */
export async function documentToCheck(file: string | undefined, stderr: Output): Promise<ApiDocument> {
  if (file === undefined) return ownDocument;
  const document = await loadDocument(file).catch((error: unknown) => {
    throw error instanceof DocumentError ? new UsageError(error.message) : error;
  });
  for (const warning of document.warnings ?? []) await print(stderr, `warning: ${printable(warning)}\n`);
  const faults = schemaFaults(document);
  if (faults.length > 0) throw new UsageError(faults.map((fault) => `${file}: ${fault}`).join('\n'));
  return document;
}

/**
 * The document's schemas that cannot be compiled, one line each. Each schema is examined once, without its subschemas:
 * large documents refer to the same schemas thousands of times.
 */
function schemaFaults({ operations }: ApiDocument): string[] {
  const ajv = createAjv();
  const seen = new Set<Schema>();
  const faultOf = (schema: Schema): string | undefined => {
    if (seen.has(schema)) return undefined;
    seen.add(schema);
    const inner: Schema[] = [];
    try {
      const alone = jsonSchemaOf(withSubschemas(schema, (each) => (inner.push(each), {})));
      // The schema of schemas is quick, but also refuses what can be compiled.
      if (ajv.validateSchema(alone) !== true || schema.enum?.length === 0) createAjv().compile(alone);
    } catch (error) {
      return (error as Error).message;
    }
    return inner.map(faultOf).find((fault) => fault !== undefined);
  };
  return operations.flatMap((operation) =>
    schemasOf(operation).flatMap(([what, { schema }]) => {
      const fault = faultOf(schema);
      return fault === undefined ? [] : [`the schema of ${what} of ${operation.operationId} cannot be read: ${fault}`];
    }),
  );
}

function schemasOf({ parameters, requestBody, responses }: Operation) {
  const named = (name: string, parts: Readonly<Record<string, { readonly schema: Schema }>>, after = '') =>
    Object.entries(parts).map(([key, part]) => [`${name} ${key}${after}`, part] as const);
  return [
    ...parameters.map((parameter) => [`the parameter ${parameter.name}`, parameter] as const),
    ...named('the body', requestBody?.content ?? {}),
    ...Object.entries(responses).flatMap(([status, { content, headers }]) => [
      ...named(`the response ${status}`, content),
      ...named('the header', headers, ` of ${status}`),
    ]),
  ];
}
