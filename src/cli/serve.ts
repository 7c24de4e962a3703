import cluster from 'node:cluster';
import type { Command } from 'commander';
import { startWorkers } from '../cluster/primary.js';
import { serveAsWorker } from '../cluster/worker.js';
import { createDemo } from '../demo/create-demo.js';
import { describeDemo } from '../demo/describe-demo.js';
import { createLogger } from '../logger.js';
import { checkRateLimits } from '../rate-limits/open.js';
import { startService } from '../service.js';
import { describedCommand } from './arguments.js';
import { baseUrlOf } from './base-url.js';
import type { CliContext } from './context.js';
import { takeStopSignals } from './stop-signal.js';
import { withStore } from './with-store.js';

/** Serves the API until the process is told to stop. What it says goes to stdout, its log to stderr. */
export function serveCommand(context: CliContext): Command {
  return describedCommand(
    'serve',
    'Serve the API of one region until SIGINT or SIGTERM. On a first start outside production (NODE_ENV) it makes the ' +
      'demo data and prints its credentials. SIGHUP replaces workers one after the other, without losing a request; ' +
      'without workers it stops the server like the other two.',
    ['serve', 'serve --region ca --port 8081', 'serve --workers auto'],
  )
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)')
    .option('--workers <number>', 'how many processes serve; auto is one a processor core (WORKERS, 1)')
    .action((_options: object, command: Command) =>
      withStore(context, command, async (store, config) => {
        const { now, stdout, stderr } = context;
        const logger = await createLogger(config.logLevel, stderr);
        if (cluster.worker) {
          await serveAsWorker(config, { store, logger: logger.child({ worker: cluster.worker.id }), now });
          return;
        }
        await checkRateLimits(config);
        const severalWorkers = config.workers > 1;
        // While it starts, too: workers may have accepted requests before all of them serve.
        const stop = takeStopSignals(severalWorkers ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP']);
        try {
          const service = await (severalWorkers ? startWorkers : startService)(config, { store, logger, now });
          const baseUrl = baseUrlOf(config.host, service.port);
          const workers = severalWorkers ? ` with ${config.workers} workers` : '';
          stdout.write(`Serving region ${config.region} on ${baseUrl}${workers}\n`);
          if (config.ops && service.opsPort !== undefined)
            stdout.write(`Probes and metrics on ${baseUrlOf(config.ops.host, service.opsPort)}\n`);
          if (!config.production && (await store.listOrganisations()).length === 0)
            stdout.write(`\n${describeDemo(await createDemo(store, { baseUrl, region: config.region, now }))}\n`);
          await stop.given;
          await service.close();
        } finally {
          stop.release();
        }
      }),
    );
}
