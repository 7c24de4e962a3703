import cluster from 'node:cluster';
import type { Command } from 'commander';
import { openAnalysisWorker } from '../analysis/open-worker.ts';
import { startWorkers } from '../runtime/workers/primary.ts';
import { serveAsWorker } from '../runtime/workers/worker.ts';
import type { Config } from '../runtime/config.ts';
import { createDemo } from '../demo/create-demo.ts';
import { describeDemo } from '../demo/describe-demo.ts';
import { builtDocsFolder } from '../api/steps/serve-docs.ts';
import { createLogger } from '../runtime/logger.ts';
import { checkRateLimits } from '../rate-limits/open.ts';
import { startService } from '../runtime/service.ts';
import { describedCommand } from './arguments.ts';
import { baseUrlOf } from './base-url.ts';
import type { CliContext } from './context.ts';
import { takeStopSignals } from './stop-signal.ts';
import { withStore } from './with-store.ts';

const variables = `
Environment variables, beside those of the options:
  DATABASE_URL, DATABASE_READ_URL, DATABASE_POOL_SIZE          PostgreSQL in place of the embedded store
  MAX_FILE_BYTES, THUMBNAIL_BASE_URL                           files that are added, and where thumbnails are
  COMPANY_REGISTRY, COMPANY_REGISTRY_URL,
  COMPANY_REGISTRY_KEY, COMPANY_REGISTRY_KEY_FILE              where analyses look companies up
  REDIS_URL, RATE_LIMIT_WHEN_UNAVAILABLE                       rate limits that several servers share
  RATE_LIMIT_REQUESTS, RATE_LIMIT_FAILED_AUTHENTICATIONS,
  RATE_LIMIT_PUBLIC_REQUESTS, RATE_LIMIT_WINDOW_SECONDS,
  TRUST_PROXY                                                  rate limits, and whose X-Forwarded-For is believed
  AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE,
  AUTH_ORGANISATION_CLAIM, AUTH_ALGORITHMS,
  AUTH_CLOCK_SKEW_SECONDS                                      access tokens of an identity provider
  OPS_HOST, OPS_PORT                                           a port for probes and metrics
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT                           where traces are sent
  LOG_LEVEL, MAX_CONCURRENT_REQUESTS, MAX_CONNECTIONS,
  DRAIN_DELAY_SECONDS, NODE_ENV                                the log, bounds, the end, production`;

/** Serves the API until the process is told to stop. What it says goes to stdout, its log to stderr. */
export function serveCommand(context: CliContext): Command {
  return describedCommand(
    'serve',
    'Serve the API of one region until SIGINT or SIGTERM. On a first start outside production (NODE_ENV) it makes the ' +
      'demo data and prints its credentials. SIGHUP replaces workers one after the other, without losing a request; ' +
      'without workers it stops the server like the other two. It analyses the files that wait, one after the other.',
    ['serve', 'serve --region ca --port 8081', 'serve --workers auto'],
  )
    .addHelpText('after', variables)
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)')
    .option('--workers <number>', 'how many processes serve; auto is one a processor core (WORKERS, 1)')
    .option('--no-analysis', 'analyse no files here: other servers do, or document-analysis analyse --watch')
    .action((options: { analysis: boolean }, command: Command) =>
      withStore(context, command, async (store, config) => {
        const { now, stdout, stderr } = context;
        const logger = await createLogger(config.logLevel, stderr);
        const docsFolder = builtDocsFolder();
        const dependencies = { store, logger, now, docsFolder };
        if (cluster.worker) {
          await serveAsWorker(config, { ...dependencies, logger: logger.child({ worker: cluster.worker.id }) });
          return;
        }
        await checkRateLimits(config);
        const analysis = options.analysis ? openAnalysisWorker(config, dependencies) : undefined;
        const severalWorkers = config.workers > 1;
        // While it starts, too: workers may have accepted requests before all of them serve.
        const stop = takeStopSignals(severalWorkers ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP']);
        try {
          const service = await (severalWorkers ? startWorkers : startService)(config, {
            ...dependencies,
            analysis,
          });
          try {
            const baseUrl = baseUrlOf(config.host, service.port);
            stdout.write(describe(config, { baseUrl, opsPort: service.opsPort, docsFolder }));
            if (!config.production && (await store.listOrganisations()).length === 0)
              stdout.write(`\n${describeDemo(await createDemo(store, { baseUrl, region: config.region, now }))}\n`);
            analysis?.watch();
            await stop.given;
          } finally {
            await Promise.all([service.close(), analysis?.stop()]);
          }
        } finally {
          stop.release();
        }
      }),
    );
}

interface Places {
  baseUrl: string;
  opsPort: number | undefined;
  docsFolder: string | undefined;
}

function describe({ region, workers, ops }: Config, { baseUrl, opsPort, docsFolder }: Places): string {
  return [
    `Serving region ${region} on ${baseUrl}${workers > 1 ? ` with ${workers} workers` : ''}\n`,
    docsFolder === undefined
      ? 'Its documentation was not built: npm run docs does it\n'
      : `Its documentation is at ${baseUrl}/docs\n`,
    ops && opsPort !== undefined ? `Probes and metrics on ${baseUrlOf(ops.host, opsPort)}\n` : '',
  ].join('');
}
