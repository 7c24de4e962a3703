// @ts-nocheck
import { join } from 'node:path';
import { customCleanEnv, EnvError, makeExactValidator } from 'envalid';
import { type Region, regions } from './domain/region.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const settings = {
  REGION: oneOf(regions)({ default: 'uk' }),
  HOST: nonEmpty()({ default: '127.0.0.1' }),
  PORT: wholeNumber(0, 65_535)({ default: 8080 }),
  DATA_DIR: nonEmpty()({ default: 'data' }),
  LOG_LEVEL: oneOf(logLevels)({ default: 'info' }),
  RATE_LIMIT_REQUESTS: wholeNumber(1, 1_000_000_000)({ default: 600 }),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400)({ default: 60 }),
  RATE_LIMIT_FAILED_AUTHENTICATIONS: wholeNumber(1, 1_000_000_000)({ default: 30 }),
};

/** The settings that a flag of the command line can give too; the flag wins (decision D34). */
export interface ConfigFlags {
  region?: string;
  host?: string;
  port?: string;
  dataDir?: string;
}

/** How many requests a credential, and how many failed authentications an address, may make in a window. */
export interface RateLimits {
  readonly requests: number;
  readonly failedAuthentications: number;
  readonly windowSeconds: number;
}

export interface Config {
  readonly production: boolean;
  readonly region: Region;
  readonly host: string;
  /** 0 lets the operating system choose a free port. */
  readonly port: number;
  readonly databasePath: string;
  readonly logLevel: (typeof logLevels)[number];
  readonly rateLimits: RateLimits;
}

/** The configuration is unusable; the message has a line for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration from environment variables and flags.
 * @throws {ConfigError} naming every mistake
 */
export function readConfig(environment: NodeJS.ProcessEnv, flags: ConfigFlags = {}): Config {
  const given = {
    REGION: flags.region ?? environment['REGION'],
    HOST: flags.host ?? environment['HOST'],
    PORT: flags.port ?? environment['PORT'],
    DATA_DIR: flags.dataDir ?? environment['DATA_DIR'],
  };
  const values = customCleanEnv({ ...environment, ...given }, settings, (cleaned) => cleaned, { reporter: refuse });
  return Object.freeze({
    production: environment['NODE_ENV'] === 'production',
    region: values.REGION,
    host: values.HOST,
    port: values.PORT,
    databasePath: join(values.DATA_DIR, `document-analysis-${values.REGION}.sqlite`),
    logLevel: values.LOG_LEVEL,
    rateLimits: Object.freeze({
      requests: values.RATE_LIMIT_REQUESTS,
      failedAuthentications: values.RATE_LIMIT_FAILED_AUTHENTICATIONS,
      windowSeconds: values.RATE_LIMIT_WINDOW_SECONDS,
    }),
  });
}

function refuse({ errors }: { errors: Record<string, Error | undefined> }): void {
  const mistakes = Object.entries(errors).flatMap(([name, error]) => (error ? [`${name} ${error.message}`] : []));
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
}

function wholeNumber(minimum: number, maximum: number) {
  return makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new EnvError(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
    return value;
  });
}

function oneOf<T extends string>(values: readonly T[]) {
  return makeExactValidator<T>((text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new EnvError(`must be one of ${values.join(', ')}, not "${text}"`);
    return value;
  });
}

function nonEmpty() {
  return makeExactValidator<string>((text) => {
    if (text === '') throw new EnvError('must not be empty');
    return text;
  });
}
