import type { Command } from 'commander';
import { ConfigError } from '../runtime/config.ts';
import { createDemo } from '../demo/create-demo.ts';
import { demoDays } from '../demo/demo-data.ts';
import { describeDemo } from '../demo/describe-demo.ts';
import { baseUrlOf, reportingCommand } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { configOf, withNewStore } from './with-store.ts';

/** Creates data to try the API with. */
export function demoCommand(context: CliContext): Command {
  return reportingCommand(
    'demo',
    'Create organisations, cases and credentials to try the API with. Later calls create further cases and ' +
      `credentials; the earlier ones stay. Credentials expire after ${demoDays} days.`,
    ['demo', 'demo --json --port 8080'],
  )
    .option('--host <host>', 'the host of the server (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port of the server (PORT, 8080)')
    .action((options: { json?: boolean }, command: Command) => {
      const { host, port } = configOf(context, command);
      if (port === 0)
        throw new ConfigError('The port must not be 0 here: give the port of the running server with --port');
      return withNewStore(context, command, async (store, config) => {
        const demo = await createDemo(config, { store, baseUrl: baseUrlOf(host, port), now: context.now });
        await printResult(context, options, demo, () => describeDemo(demo));
      });
    });
}
