import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ReadFile, configurationSchema, readWithLines } from './validated-file.ts';

/** Read from the working directory, unless --config names another file. */
export const configurationFile = 'document-analysis-contract.yaml';

const schemas = configurationSchema['properties'] as Record<string, { $ref?: string }>;

/**
 * Sets a command's options from the configuration file. Options on the command line take precedence.
 * @throws {UsageError} if the file cannot be read or does not match its schema
 */
export async function applyConfiguration(command: Command): Promise<void> {
  const named = command.getOptionValue('config') as string | undefined;
  const file = named ?? configurationFile;
  if (named === undefined && !existsSync(file)) return;
  const what = 'the configuration file';
  const { value, fail } = await readWithLines({ what, file, form: 'YAML', schema: configurationSchema });
  const {
    security,
    values,
    'other-security': others,
    ...options
  } = value as Partial<ConfiguredChecks> & Record<string, unknown>;
  if (security ?? others ?? values) {
    const configured: ConfiguredChecks = {
      security: security ?? {},
      'other-security': others ?? {},
      values: values ?? {},
      fail,
    };
    command.setOptionValueWithSource('configured', configured, 'config');
  }
  for (const [name, given] of Object.entries(options)) {
    const option = command.options.find(({ long }) => long === `--${name}`)?.attributeName() ?? name;
    if (command.getOptionValueSource(option) === 'cli') continue;
    const isPath = schemas[name]?.$ref === '#/definitions/path';
    command.setOptionValueWithSource(option, isPath ? resolve(dirname(file), String(given)) : given, 'config');
  }
}

/** A credential, or the environment variable that contains it. */
export type GivenCredential = string | { readonly env: string };

/** The tester's values for an operation: parameters by name, and a body. */
export interface OperationValues {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The parts of the configuration file that are not options: for the document of another API. */
export interface ConfiguredChecks extends Pick<ReadFile, 'fail'> {
  /** By security scheme. */
  readonly security: Readonly<Record<string, GivenCredential>>;
  /** By security scheme, the credentials of another tenant. */
  readonly 'other-security'?: Readonly<Record<string, GivenCredential>>;
  /** By operation. */
  readonly values: Readonly<Record<string, OperationValues>>;
}
