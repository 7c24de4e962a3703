import { readFile } from 'node:fs/promises';
import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import { type Document, LineCounter, isMap, isNode, isScalar, parseDocument } from 'yaml';
import { UsageError } from '../run/errors.ts';
import { createAjv } from '../document/schemas.ts';
import { jsonSchemaOf } from '../document/schemas.ts';
import type { ApiDocument, Operation, Schema } from '../document/model.ts';
import { withSubschemas } from '../document/schemas.ts';
import { createRequire } from 'node:module';

/** A file written for the suite. */
export interface WrittenFile {
  /** The name of the file in messages, such as `the credentials file`. */
  readonly what: string;
  readonly file: string;
  readonly form: 'JSON' | 'YAML';
  readonly schema: AnySchemaObject;
}

/**
 * Reads a file and validates it against its schema. Reports a fault with its line, but without values, which may be
 * secret.
 * @throws {UsageError} if the file cannot be read or does not match its schema
 */
export async function readValidated(written: WrittenFile): Promise<unknown> {
  return (await readWithLines(written)).value;
}

/** The content of a file, and a function that reports a fault in it. */
export interface ReadFile {
  readonly value: unknown;
  /** @param place the keys that lead to the part @throws {UsageError} always */
  readonly fail: (place: readonly string[], fault: string) => never;
}

/** Like {@link readValidated}, for a file with further validation. */
export async function readWithLines({ what, file, form, schema }: WrittenFile): Promise<ReadFile> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${what} ${file} cannot be read: ${fileFault(error)}`);
  });
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number | undefined, fault: string): never => {
    throw new UsageError(`${what} ${file}${offset === undefined ? '' : `:${lines.linePos(offset).line}`} ${fault}`);
  };
  const [error] = document.errors;
  // JSON is also YAML, whose parser knows the lines.
  const broken = form === 'JSON' ? jsonFault(text.replace(/^\uFEFF/, '')) : error && { offset: error.pos[0] };
  if (broken) fail(broken.offset, `is not ${form}`);
  const value: unknown = document.toJS() ?? (form === 'YAML' ? {} : null);
  const fault = firstError(value, schema);
  if (fault) fail(offsetOf(document, fault), wordsOf(fault));
  const refuse: ReadFile['fail'] = (place, refused) => {
    const node = document.getIn(place, true);
    return fail(isNode(node) ? node.range?.[0] : undefined, refused);
  };
  return { value, fail: refuse };
}

/** Describes how a value violates a schema, without repeating any of its texts. */
export function faultOf(value: unknown, schema: AnySchemaObject): string | undefined {
  const fault = firstError(value, schema);
  return fault && wordsOf(fault);
}

function firstError(value: unknown, schema: AnySchemaObject): ErrorObject | undefined {
  const validate = new Ajv({ verbose: true, allowUnionTypes: true }).compile(schema);
  return validate(value) ? undefined : validate.errors?.[0];
}

function jsonFault(text: string): { offset: number | undefined } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const position = / position (\d+)/.exec((error as Error).message)?.[1];
    return { offset: position === undefined ? undefined : Number(position) };
  }
}

/** The offset of the invalid part in the text. */
function offsetOf(document: Document, { instancePath, params }: ErrorObject): number | undefined {
  const node = document.getIn(instancePath.split('/').slice(1), true) ?? document.contents;
  const name = (params as { additionalProperty?: string }).additionalProperty;
  const key = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === name)?.key : undefined;
  const place = key ?? node;
  return isNode(place) ? place.range?.[0] : undefined;
}

function wordsOf({ instancePath, keyword, params, parentSchema, message = '' }: ErrorObject) {
  if (keyword === 'additionalProperties') {
    const name = (params as { additionalProperty: string }).additionalProperty;
    const known = Object.keys((parentSchema as AnySchemaObject)['properties'] as object).join(', ');
    return `has a field${/^[a-z_-]{1,40}$/.test(name) ? ` ${name}` : ''} that is unknown; known are ${known}`;
  }
  const form = (parentSchema as { $comment?: string } | undefined)?.$comment;
  if (instancePath === '') return `must hold ${form ?? message}`;
  const field = instancePath.slice(1).replaceAll('/', '.');
  return form === undefined ? `has a wrong ${field}: it ${message}` : `needs ${form.replace(/;|$/, ` in ${field}$&`)}`;
}

/**
 * The document's schemas that cannot be compiled, one line each. Each schema is examined once, without its subschemas:
 * large documents refer to the same schemas thousands of times.
 */
export function schemaFaults({ operations }: ApiDocument): string[] {
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
    schemasOf(operation).flatMap(([what, schema]) => {
      const fault = faultOf(schema);
      return fault === undefined ? [] : [`the schema of ${what} of ${operation.operationId} cannot be read: ${fault}`];
    }),
  );
}

function schemasOf({ parameters, requestBody, responses }: Operation): [what: string, schema: Schema][] {
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]): [string, Schema] => [
    `the body ${type}`,
    schema,
  ]);
  const ofResponses = Object.entries(responses).flatMap(([status, { content, headers }]) => [
    ...Object.entries(content).map(([type, { schema }]): [string, Schema] => [
      `the response ${status} ${type}`,
      schema,
    ]),
    ...Object.entries(headers).map(([name, { schema }]): [string, Schema] => [
      `the header ${name} of ${status}`,
      schema,
    ]),
  ]);
  return [
    ...parameters.map(({ name, schema }): [string, Schema] => [`the parameter ${name}`, schema]),
    ...bodies,
    ...ofResponses,
  ];
}

const reasons: Record<string, string | undefined> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Describes why a file cannot be read or written. */
export function fileFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}

const load = createRequire(import.meta.url);

/** The published schema of the credentials file. */
export const credentialsSchema = load('#schemas/credentials.schema.json') as AnySchemaObject;

/** The published schema of the configuration file; each field is the option of the same name. */
export const configurationSchema = load('#schemas/configuration.schema.json') as AnySchemaObject;
