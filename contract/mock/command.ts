import type { Command } from 'commander';
import { createLogger } from '../../src/runtime/logger.ts';
import { createMockApp } from './app.ts';
import { curlLines, exampleRows } from './describe-mock.ts';
import { startServer } from '../../src/api/connections/start-server.ts';
import { describedCommand } from '../../src/cli/arguments.ts';
import { baseUrlOf } from '../../src/cli/base-url.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { table } from '../../src/cli/output.ts';
import { takeStopSignals } from '../../src/cli/stop-signal.ts';
import { configOf } from '../../src/cli/with-store.ts';

/** Serves the document's examples until the process is told to stop. */
export function mockCommand(context: CliContext): Command {
  return describedCommand(
    'mock',
    "Answer with the document's examples until SIGINT or SIGTERM, for developers of clients. It needs no data and no " +
      'credentials: any one of the right scheme is accepted. The header Prefer chooses the example, as in ' +
      "'Prefer: code=403, example=feature-not-enabled'; what is wrong with a request is refused as by the real server.",
    ['mock', 'mock --region ca --port 8081'],
  )
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8080)')
    .action(async (_options: object, command: Command) => {
      const config = configOf(context, command);
      const logger = await createLogger(config.logLevel, context.stderr);
      const service = await startServer(await createMockApp({ region: config.region, logger }), config);
      const stop = takeStopSignals(['SIGINT', 'SIGTERM']);
      context.stdout.write(describe(config.region, baseUrlOf(config.host, service.port)));
      await stop.given;
      await service.close();
      stop.release();
    });
}

function describe(region: string, baseUrl: string): string {
  const examples = table(['operation', 'status', 'examples'], exampleRows());
  return (
    `Mocking region ${region} on ${baseUrl}\n\n${examples}\n\n` +
    `Without Prefer the answer is a success. To choose one:\n  ${curlLines(baseUrl).join('\n  ')}\n`
  );
}
