import { readFileSync } from 'node:fs';
import { forRegion } from '../domain/region.ts';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { openAnalysisWorker } from '../analysis/open-worker.ts';
import { type Config, secretVariables } from '../runtime/config.ts';
import { describeDemo } from '../demo/describe-demo.ts';
import { builtDocsFolder } from '../api/steps/serve-docs.ts';
import { createLogger } from '../runtime/logger.ts';
import { checkRateLimits } from '../rate-limits/rate-limit-store.ts';
import { maxOpsConnections } from '../runtime/ops-server.ts';
import { startService } from '../runtime/service.ts';
import { baseUrlOf, isLoopback } from './arguments.ts';
import { DescribedCommand, withStore } from './command.ts';
import type { CliContext } from './context.ts';
import { killAfter, handleStopSignals } from './stop-signal.ts';

/** The maximum time to the end of the process after `DRAIN_DELAY_SECONDS`: longer than requests and traces may take. */
const endMilliseconds = 20_000;

const variables = `
On a loopback address, the first start creates demo data and prints its credentials, unless NODE_ENV is production.
Elsewhere, and in production, it does so only with --demo.

Further environment variables; docs/operating.md describes them all:
  DATABASE_URL, DATABASE_POOL_SIZE, DATABASE_POOLER            PostgreSQL instead of the embedded SQLite
  MAX_FILE_BYTES, THUMBNAIL_BASE_URL                           the largest file, and the base address of thumbnails
  COMPANY_REGISTRY, COMPANY_REGISTRY_URL,
  COMPANY_REGISTRY_KEY                                         the registry for UK company numbers
  VAT_REGISTRY, VAT_REGISTRY_URL, VAT_REGISTRY_CLIENT_ID,
  VAT_REGISTRY_CLIENT_SECRET                                   the registry for UK VAT numbers
  REGISTRY_RESULT_MAX_AGE                                      how long a cached response of a registry is valid
  REDIS_URL, RATE_LIMIT_WHEN_UNAVAILABLE                       rate limits shared by several servers
  RATE_LIMIT_REQUESTS, RATE_LIMIT_FAILED_AUTHENTICATIONS,
  RATE_LIMIT_PUBLIC_REQUESTS, RATE_LIMIT_OTHER_REQUESTS,
  RATE_LIMIT_WINDOW_SECONDS, TRUST_PROXY                       rate limits, and the proxies trusted for X-Forwarded-For
  AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE,
  AUTH_ORGANISATION_CLAIM, AUTH_ALGORITHMS,
  AUTH_CLOCK_SKEW_SECONDS                                      access tokens from an identity provider
  CORS_ALLOWED_ORIGINS                                         origins whose web pages may call the API
  OPS_HOST, OPS_PORT                                           the port for probes and metrics
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  OTEL_EXPORTER_OTLP_HEADERS                                   where traces are sent, and the headers
  LOG_LEVEL, MAX_CONCURRENT_REQUESTS, MAX_CONNECTIONS,
  DRAIN_DELAY_SECONDS, NODE_ENV                                logging, limits, shutdown, production

To keep a secret in a file, set one of these to its path instead:
  ${secretVariables.map((name) => `${name}_FILE`).join('\n  ')}`;

export function serveCommand(context: CliContext): Command {
  return new DescribedCommand(
    'serve',
    'Serve the API of one region until SIGINT, SIGTERM or SIGHUP, and analyse the files that are added.',
    ['serve', 'serve --region ca --port 8081'],
  )
    .addHelpText('after', variables)
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 picks a free one (PORT, 8080)')
    .option('--no-analysis', 'do not analyse files in this server')
    .option('--demo', 'create demo data on the first start, also if others can reach the server')
    .action((options: { analysis: boolean; demo?: boolean }, command: Command) =>
      withStore(context, command, async (store, given) => {
        const { now, stdout, stderr } = context;
        const logger = await createLogger(given.logLevel, stderr);
        const config = withinDescriptors(given, logger);
        const docsFolder = builtDocsFolder();
        const dependencies = { store, logger, now, docsFolder };
        if (store.warning !== undefined) logger.warn(forRegion(store.warning, config.region));
        await checkRateLimits(config);
        const analysis = options.analysis ? openAnalysisWorker(config, dependencies) : undefined;
        const stop = handleStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP']);
        try {
          const service = await startService(config, { ...dependencies, analysis });
          try {
            const baseUrl = baseUrlOf(config.host, service.port);
            // Users rely on the message that the server is ready, so do first what can still fail.
            const isNew = (await store.listOrganisations()).length === 0;
            const wanted = options.demo ?? (!config.production && (await isLoopback(config.host)));
            // Loaded on demand, because it needs the whole file intake.
            const demoParts = { store, baseUrl, now };
            const newDemo = async () => (await import('../demo/create-demo.ts')).createDemo(config, demoParts);
            const demo = isNew && wanted ? await newDemo() : undefined;
            stdout.write(describe(config, baseUrl, service.opsPort, docsFolder));
            if (demo) stdout.write(`\n${describeDemo(demo)}\n`);
            else if (isNew && !config.production)
              stdout.write(`No demo data, because others can reach ${config.host}: start with --demo to create it\n`);
            analysis?.watch();
            await stop.received;
          } finally {
            const track = killAfter(context, logger, endMilliseconds + config.drainDelaySeconds * 1000);
            await Promise.all([track('requests', service.close()), track('analysis', analysis?.stop())]);
          }
        } finally {
          stop.release();
        }
      }),
    );
}

/**
 * Each connection takes a file descriptor. Without free ones, Node.js closes every new connection while idle ones stay
 * open, and no file can be opened. So the number of connections is bounded below the limit of the system.
 */
function withinDescriptors(config: Config, logger: Logger): Config {
  const openFiles = descriptorLimit();
  const maxConnections = connectionsWithin(openFiles, config);
  if (maxConnections < config.maxConnections)
    logger.warn(
      { openFiles, maxConnections },
      `MAX_CONNECTIONS is lowered from ${config.maxConnections} to ${maxConnections}, because a process may open ${openFiles} ` +
        'files. Raise that limit (ulimit -n, LimitNOFILE of systemd, nofile of containers), or set MAX_CONNECTIONS lower.',
    );
  return { ...config, maxConnections };
}

function describe({ region, ops }: Config, baseUrl: string, opsPort?: number, docsFolder?: string): string {
  const documentation = docsFolder === undefined ? 'not built. Build it with: npm run docs' : `${baseUrl}/docs`;
  const probes = ops && opsPort !== undefined ? `Probes and metrics on ${baseUrlOf(ops.host, opsPort)}\n` : '';
  return `Serving region ${region} on ${baseUrl}\nDocumentation: ${documentation}\n${probes}`;
}

/** The process's own, the embedded database's, those of temporary files, analyses and single connections elsewhere. */
const ownDescriptors = 64;

/** How many the process may have open; Infinity if nothing bounds them. Node.js raises it to the hard limit at start. */
export function descriptorLimit(): number {
  const limit = process.platform === 'linux' ? limitOfLinux() : limitOfReport();
  return Number(limit ?? Infinity) || Infinity;
}

/** The bound on connections that leaves descriptors for all else: `MAX_CONNECTIONS`, or less. */
export function connectionsWithin(
  limit: number,
  { maxConnections, ops, database }: Pick<Config, 'maxConnections' | 'ops' | 'database'>,
): number {
  const pools = database ? database.poolSize : 0;
  const others = ownDescriptors + (ops ? maxOpsConnections : 0) + pools;
  return Math.min(maxConnections, Math.max(limit - others, Math.ceil(limit / 4)));
}

/** A hundred times as fast as `process.report`. */
function limitOfLinux(): string | undefined {
  return /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
}

function limitOfReport(): unknown {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  return report.userLimits?.open_files?.soft;
}
