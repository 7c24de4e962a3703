import { join } from 'node:path';
import { type CleanedEnv, customCleanEnv } from 'envalid';
import {
  headers,
  nonEmpty,
  oneOf,
  origins,
  readSecretFiles,
  type ReadSecrets,
  webUrl,
  wholeNumber,
} from './config-values.ts';
import { regions } from '../domain/region.ts';
import { fileSettings, filesOf } from '../files/settings.ts';
import { identityProviderOf, identityProviderSettings } from '../identity-provider/settings.ts';
import { rateLimitSettings, rateLimitsOf, sharedRateLimitsOf } from '../rate-limits/settings.ts';
import { contradictionsOfRegistries, registriesOf, registrySettings } from '../analysis/registries/settings.ts';
import { databaseOf, databaseSettings } from '../store/settings.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const settings = {
  REGION: oneOf(regions)({ default: 'uk' }),
  HOST: nonEmpty()({ default: '127.0.0.1' }),
  PORT: wholeNumber(0, 65_535)({ default: 8080 }),
  DATA_DIR: nonEmpty()({ default: 'data' }),
  ...databaseSettings,
  ...fileSettings,
  LOG_LEVEL: oneOf(logLevels)({ default: 'info' }),
  ...rateLimitSettings,
  CORS_ALLOWED_ORIGINS: origins()({ default: [] }),
  MAX_CONCURRENT_REQUESTS: wholeNumber(1, 1_000_000)({ default: 1000 }),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000)({ default: 10_000 }),
  DRAIN_DELAY_SECONDS: wholeNumber(0, 3600)({ default: 0 }),
  OPS_HOST: nonEmpty()({ default: '127.0.0.1' }),
  OPS_PORT: wholeNumber(0, 65_535)({ default: undefined }),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl()({ default: '' }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webUrl()({ default: '' }),
  OTEL_EXPORTER_OTLP_HEADERS: headers()({ default: {} }),
  ...identityProviderSettings,
  ...registrySettings,
};

/** The variables that may hold a secret, each of which a file can hold instead (`readSecretFiles`). */
export const secretVariables = [
  'DATABASE_URL',
  'REDIS_URL',
  'COMPANY_REGISTRY_KEY',
  'VAT_REGISTRY_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const satisfies (keyof typeof settings)[];

/** The settings that a flag of the command line can give too; the flag wins (decision D34). */
export interface ConfigFlags {
  region?: string;
  host?: string;
  port?: string;
  dataDir?: string;
}

export type Config = Readonly<ReturnType<typeof configOf>>;

/** The configuration is unusable; the message has a line for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the configuration from environment variables and flags. @throws {ConfigError} naming every mistake */
export function readConfig(environment: NodeJS.ProcessEnv, flags: ConfigFlags = {}): Config {
  const { region, host, port, dataDir } = flags;
  const variables = { REGION: region, HOST: host, PORT: port, DATA_DIR: dataDir };
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
  const secrets = readSecretFiles({ ...environment, ...given }, secretVariables);
  // A message names what the operator wrote: `DATA_DIR`, or `--data-dir`.
  const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`;
  const nameOf = (name: string) => (name in given ? flagOf(name) : secrets.nameOf(name));
  const values = customCleanEnv(secrets.environment, settings, (cleaned) => cleaned, {
    reporter: ({ errors }: { errors: Faults }) => {
      refuse(errors, { ...secrets, nameOf }, contradictionsOfRegistries(environment));
    },
  });
  return configOf(values, environment['NODE_ENV'] === 'production');
}

function configOf(values: CleanedEnv<typeof settings>, production: boolean) {
  const isTraced = values.OTEL_EXPORTER_OTLP_ENDPOINT !== '' || values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== '';
  return Object.freeze({
    production,
    region: values.REGION,
    host: values.HOST,
    /** 0 lets the operating system choose a free port. */
    port: values.PORT,
    databasePath: join(values.DATA_DIR, `document-analysis-${values.REGION}.sqlite`),
    database: databaseOf(values),
    files: filesOf(values),
    logLevel: values.LOG_LEVEL,
    rateLimits: rateLimitsOf(values),
    sharedRateLimits: sharedRateLimitsOf(values),
    /** Whose `X-Forwarded-For` is trusted: addresses, networks, and the names that proxy-addr knows. */
    trustedProxies: values.TRUST_PROXY,
    allowedOrigins: values.CORS_ALLOWED_ORIGINS,
    maxConcurrentRequests: values.MAX_CONCURRENT_REQUESTS,
    /** At this number of open connections, one without a request in flight is closed for a new one. */
    maxConnections: values.MAX_CONNECTIONS,
    /** How long the service reports that it is not ready before it stops accepting connections. */
    drainDelaySeconds: values.DRAIN_DELAY_SECONDS,
    /** OpenTelemetry's own packages read the other OTEL_ variables. */
    traces: isTraced ? Object.freeze({ headers: values.OTEL_EXPORTER_OTLP_HEADERS }) : undefined,
    ops: values.OPS_PORT === undefined ? undefined : Object.freeze({ host: values.OPS_HOST, port: values.OPS_PORT }),
    identityProvider: identityProviderOf(values),
    ...registriesOf(values),
  });
}

type Faults = Record<string, Error | undefined>;

function refuse(errors: Faults, { mistakes, nameOf }: ReadSecrets, contradictions: readonly string[]): void {
  const others = Object.entries(errors).flatMap(([name, error]) =>
    error && !mistakes.has(name) ? [`${nameOf(name)} ${error.message}`] : [],
  );
  const all = [...mistakes.values(), ...others, ...contradictions];
  if (all.length > 0) throw new ConfigError(all.join('\n'));
}
