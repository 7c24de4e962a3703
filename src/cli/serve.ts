import type { Command } from 'commander';
import { createDemo } from '../demo/create-demo.js';
import { describeDemo } from '../demo/describe-demo.js';
import { builtDocsFolder } from '../http/docs.js';
import { createLogger } from '../logger.js';
import { startService } from '../service.js';
import { describedCommand } from './arguments.js';
import { baseUrlOf } from './base-url.js';
import type { CliContext } from './context.js';
import { stopSignal } from './stop-signal.js';
import { withStore } from './with-store.js';

/** Serves the API until the process is told to stop. What it says goes to stdout, its log to stderr. */
export function serveCommand(context: CliContext): Command {
  return describedCommand(
    'serve',
    'Serve the API of one region until SIGINT or SIGTERM. On a first start outside production (NODE_ENV) it makes the ' +
      'demo data and prints its credentials.',
    ['serve', 'serve --region ca --port 8081'],
  )
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)')
    .action((_options: object, command: Command) =>
      withStore(context, command, async (store, config) => {
        const { now, stdout, stderr } = context;
        const logger = await createLogger(config.logLevel, stderr);
        const docsFolder = builtDocsFolder();
        const service = await startService(config, { store, logger, now, docsFolder });
        const stop = stopSignal();
        const baseUrl = baseUrlOf(config.host, service.port);
        stdout.write(`Serving region ${config.region} on ${baseUrl}\n`);
        if (docsFolder === undefined) logger.warn('There is no documentation at /docs: build it with npm run docs.');
        else stdout.write(`Its documentation is at ${baseUrl}/docs\n`);
        if (!config.production && (await store.listOrganisations()).length === 0)
          stdout.write(`\n${describeDemo(await createDemo(store, { baseUrl, region: config.region, now }))}\n`);
        await stop;
        await service.close();
      }),
    );
}
