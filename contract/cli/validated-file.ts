import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import { LineCounter, isMap, isNode, isScalar, parseDocument } from 'yaml';
import { UsageError } from '../run/errors.ts';

const load = createRequire(import.meta.url);

/** The published schema of the credentials file. */
export const credentialsSchema = load('#schemas/credentials.schema.json') as AnySchemaObject;

/** The published schema of the configuration file; each field is the option of the same name. */
export const configurationSchema = load('#schemas/configuration.schema.json') as AnySchemaObject;

/** The content of a file, and a function that reports a fault in it. */
export interface ReadFile {
  readonly value: unknown;
  /** @param place the keys that lead to the part @throws {UsageError} always */
  readonly fail: (place: readonly string[], fault: string) => never;
}

/**
 * Reads a file in YAML, as which JSON counts too, and validates it. Reports a fault with its line, but without values, which may be secret.
 * @param what the name of the file in messages, such as `the credentials file`
 * @throws {UsageError} if the file cannot be read or does not match its schema
 */
export async function readValidated(what: string, file: string, schema: AnySchemaObject): Promise<ReadFile> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${what} ${file} cannot be read: ${fileFault(error)}`);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const failAt = (offset: number | undefined, fault: string): never => {
    throw new UsageError(`${what} ${file}${offset === undefined ? '' : `:${lines.linePos(offset).line}`} ${fault}`);
  };
  const [error] = document.errors;
  if (error) failAt(error.pos[0], 'is neither JSON nor YAML');
  const value: unknown = document.toJS() ?? {};
  const fault = firstError(value, schema);
  if (fault) {
    const node = document.getIn(fault.instancePath.split('/').slice(1), true) ?? document.contents;
    const { additionalProperty: name } = fault.params as { additionalProperty?: string };
    const key = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === name)?.key : undefined;
    failAt(offsetOf(key ?? node), wordsOf(fault));
  }
  return { value, fail: (place, refused) => failAt(offsetOf(document.getIn(place, true)), refused) };
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

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function wordsOf({ instancePath, keyword, params, parentSchema, message = '' }: ErrorObject): string {
  const { properties = {}, $comment: form } = (parentSchema ?? {}) as { properties?: object; $comment?: string };
  if (keyword === 'additionalProperties') {
    const { additionalProperty: name } = params as { additionalProperty: string };
    const told = /^(?=.{1,40}$)[a-z_-]+([A-Z][a-z]+)*$/.test(name) ? ` ${name}` : '';
    return `has a field${told} that is unknown; known are ${Object.keys(properties).join(', ')}`;
  }
  if (instancePath === '') return `must hold ${form ?? message}`;
  const field = instancePath.slice(1).replaceAll('/', '.');
  return form === undefined ? `has a wrong ${field}: it ${message}` : `needs ${form.replace(/;|$/, ` in ${field}$&`)}`;
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
