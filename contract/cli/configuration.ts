/** The configuration file: options, and for the document of another API the credentials and the values of its operations. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { entryOf, schemeEntry, usualEntry } from '../dimensions/credential-scheme.ts';
import type { ApiDocument, Operation, Parameter, ParameterLocation, RequestBody } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { isJson } from '../oracle/body.ts';
import { schemaViolations } from '../oracle/schema.ts';
import type { Target } from '../run/model.ts';
import { duration, wholeNumber } from './options.ts';
import { type ReadFile, configurationSchema, readValidated } from './validated-file.ts';

/** Read from the working directory, unless --config names another file. */
export const configurationFile = 'document-analysis-contract.yaml';

/** Credentials by security scheme; each is a text, or the environment variable that contains it. */
type GivenCredentials = Readonly<Record<string, string | { readonly env: string }>>;

/** The tester's values for an operation: parameters by place and name, and a body. */
export interface OperationValues extends Partial<Record<ParameterLocation, Readonly<Record<string, unknown>>>> {
  readonly body?: unknown;
}

/** The parts with credentials, and whose they are. */
const parts = { security: undefined, 'other-security': 'other', 'lesser-security': 'lesser' } as const;
const partNames = Object.keys(parts) as (keyof typeof parts)[];

/** The parts of the configuration file that are not options: for the document of another API. */
export interface ConfiguredChecks extends Pick<ReadFile, 'fail'> {
  readonly security: GivenCredentials;
  /** The credentials of another tenant. */
  readonly 'other-security'?: GivenCredentials;
  /** Credentials that may only read. */
  readonly 'lesser-security'?: GivenCredentials;
  /** By operation; those of `*` apply to every operation that has the parameter. */
  readonly values: Readonly<Record<string, OperationValues>>;
}

/** How the configuration file describes an option. */
interface OptionSchema {
  /** What its value is called in the help; absent if it is on or off. */
  readonly title?: string;
  readonly description: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly enum?: readonly string[]; readonly pattern?: string };
}

const schemas = configurationSchema['properties'] as Record<string, OptionSchema>;

/** The options that are fields of the configuration file, as its schema describes them. */
export function configurableOptions(): Option[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const { title, description, default: usual, type } = schema;
    // The credentials and values of another API have too many parts for a command line.
    if (type === 'object') return [];
    const help = description.replace(/\.( A path is relative to this file\.)?$/, '');
    const flags = title === undefined ? `--${name}` : `--${name} <${title}>`;
    const option = new Option(flags, help.charAt(0).toLowerCase() + help.slice(1)).default(usual);
    if (type === 'integer') return option.argParser(wholeNumber(schema.minimum ?? 0, schema.maximum ?? Infinity));
    if (type === 'number') return option.argParser(duration);
    return type === 'array' ? option.argParser(listOf(schema)) : option;
  });
}

/** Adds one text, or several between commas. A text of a form of its own may have commas, and is not validated here: it may be secret. */
function listOf({ items: { enum: known, pattern } = {} }: OptionSchema) {
  return (text: string, before: readonly string[] = []): string[] => {
    const values = pattern === undefined ? text.split(',').map((value) => value.trim()) : [text];
    if (values.includes('') || (known && !values.every((value) => known.includes(value))))
      throw new InvalidArgumentError(`It must be ${known?.join(' or ') ?? 'a text'}, or several between commas.`);
    return [...before, ...values];
  };
}

/**
 * Sets a command's options from the configuration file. Options on the command line take precedence.
 * @throws {UsageError} if the file cannot be read or does not match its schema
 */
export async function applyConfiguration(command: Command): Promise<void> {
  const named = command.getOptionValue('config') as string | undefined;
  const file = named ?? configurationFile;
  if (named === undefined && !existsSync(file)) return;
  const { value, fail } = await readValidated('the configuration file', file, configurationSchema);
  const { values = {}, ...more } = value as Partial<ConfiguredChecks>;
  const { security = {}, 'other-security': others = {}, 'lesser-security': lesser = {}, ...options } = more;
  if (Object.keys({ ...security, ...others, ...lesser, ...values }).length > 0) {
    const configured = { security, 'other-security': others, 'lesser-security': lesser, values, fail };
    command.setOptionValueWithSource('configured', configured, 'config');
  }
  for (const [name, given] of Object.entries(options)) {
    const option = command.options.find(({ long }) => long === `--${name}`)?.attributeName() ?? name;
    if (command.getOptionValueSource(option) === 'cli') continue;
    const isPath = schemas[name]?.$ref === '#/definitions/path';
    command.setOptionValueWithSource(option, isPath ? resolve(dirname(file), String(given)) : given, 'config');
  }
}

/**
 * Adds the credentials of another API's security schemes to the target. For schemes that the configuration does not
 * name, it uses `owner_key`, `access_token` and `other_access_token` of the credentials file.
 * @throws {UsageError} if an environment variable is not set
 */
export function withGivenCredentials(
  target: Target,
  document: ApiDocument,
  configured: ConfiguredChecks | undefined,
  environment: NodeJS.ProcessEnv,
): Target {
  if (isOwnApi(document)) return target;
  const found: Record<string, string> = {};
  for (const [name, scheme] of Object.entries(document.securitySchemes))
    for (const part of partNames) {
      const { [part]: caller } = parts;
      const ofPart = (entry: ReturnType<typeof usualEntry>) => (caller ? entryOf(caller, entry) : entry);
      const given = configured?.[part]?.[name];
      const variable = typeof given === 'object' ? given.env : undefined;
      const usual = target.credentials[ofPart(usualEntry(scheme))];
      const secret = variable === undefined ? (given ?? usual) : environment[variable];
      if (variable !== undefined && !secret)
        configured?.fail([part, name], `needs the environment variable ${variable}, which is not set`);
      if (typeof secret !== 'string' || secret === '') continue;
      const isBasic = scheme.type === 'http' && scheme.scheme === 'basic';
      // In the form in which it is sent, because that is the text to mask.
      found[ofPart(schemeEntry(name))] = isBasic ? Buffer.from(secret).toString('base64') : secret;
    }
  return { ...target, credentials: { ...target.credentials, ...found } };
}

/**
 * Replaces the document's examples with the tester's values, and puts those security alternatives first for which the
 * tester has credentials.
 * @throws {UsageError} if the document has no such operation, parameter, body or scheme, or does not allow a value
 */
export function withGivenValues(document: ApiDocument, configured: ConfiguredChecks): ApiDocument {
  const { values, security, fail } = configured;
  const schemes = Object.keys(document.securitySchemes);
  for (const part of partNames)
    for (const name of Object.keys(configured[part] ?? {}).filter((each) => !schemes.includes(each)))
      failUnknown(fail, [part, name], 'a supported security scheme of the document', schemes);
  for (const [key, given] of Object.entries(values)) requireDocumented(document, key, given, fail);
  const isAvailable = (names: readonly string[]) => names.every((name) => name in security);
  const operations = document.operations.map((operation) => {
    const given = [
      values['*'] ?? {},
      ...Object.keys(values).flatMap((key) => (isNamed(operation, key) ? (values[key] ?? []) : [])),
    ];
    const inOrder = operation.security.toSorted((a, b) => Number(isAvailable(b)) - Number(isAvailable(a)));
    return { ...given.reduce(withValues, operation), security: inOrder };
  });
  return { ...document, operations };
}

function isNamed({ operationId, method, path }: Operation, key: string): boolean {
  return key === operationId || key === `${method.toUpperCase()} ${path}`;
}

function requireDocumented(
  { operations: all }: ApiDocument,
  key: string,
  { body, ...given }: OperationValues,
  fail: ConfiguredChecks['fail'],
): void {
  const operations = all.filter((operation) => key === '*' || isNamed(operation, key));
  const requireValid = (place: string[], parameter: Pick<Parameter, 'schema'>, value: unknown) => {
    for (const fault of schemaViolations(['values', ...place].join('.'), parameter.schema, value, true))
      fail(['values', ...place], `has a value that the document does not allow: ${fault}`);
  };
  const ids = all.map((each) => each.operationId);
  if (operations.length === 0) failUnknown(fail, ['values', key], 'an operation of the document', ids);
  for (const place of Object.keys(given) as ParameterLocation[])
    for (const [parameter, value] of Object.entries(given[place] ?? {})) {
      const inPlace = operations.flatMap((each) => each.parameters).filter((each) => each.in === place);
      const meant = inPlace.filter((each) => is(each, parameter));
      const names = inPlace.map(({ name }) => name);
      if (meant.length === 0) failUnknown(fail, ['values', key, place, parameter], `a ${place} parameter there`, names);
      for (const each of meant) requireValid([key, place, parameter], each, value);
    }
  if (body === undefined) return;
  const [requestBody] = operations.map((operation) => operation.requestBody);
  if (key === '*' || !requestBody)
    return fail(['values', key, 'body'], `values.${key}.body is for an operation without a body`);
  const [, media] = bodyMedia(requestBody);
  if (media) requireValid([key, 'body'], media, body);
}

function withValues(operation: Operation, given: OperationValues): Operation {
  const parameters = operation.parameters.map((parameter) => {
    const found = Object.entries(given[parameter.in] ?? {}).find(([name]) => is(parameter, name));
    return found ? { ...parameter, value: found[1] } : parameter;
  });
  const { requestBody } = operation;
  const [type, media] = requestBody ? bodyMedia(requestBody) : [];
  if (given.body === undefined || !requestBody || type === undefined || !media) return { ...operation, parameters };
  const others = Object.entries(requestBody.content).filter(([each]) => each !== type);
  const content = { [type]: { ...media, examples: { given: { value: given.body } } }, ...Object.fromEntries(others) };
  return { ...operation, parameters, requestBody: { ...requestBody, content } };
}

/** The body to send: JSON if there is any, else the first media type. */
function bodyMedia({ content }: RequestBody) {
  const all = Object.entries(content);
  return all.find(([mediaType]) => isJson(mediaType)) ?? all[0] ?? [];
}

function is(parameter: Parameter, name: string): boolean {
  const same = (text: string) => (parameter.in === 'header' ? text.toLowerCase() : text);
  return same(parameter.name) === same(name);
}

function failUnknown(fail: ReadFile['fail'], place: string[], what: string, names: readonly string[]): never {
  const all = [...new Set(names)];
  const known = `${all.slice(0, 20).join(', ') || 'none'}${all.length > 20 ? ', …' : ''}`;
  return fail(place, `${place.join('.')} is not ${what}; known are ${known}`);
}
