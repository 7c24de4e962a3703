import type { Command } from 'commander';
import { createDemo } from '../demo/create-demo.ts';
import { demoDays } from '../demo/demo-data.ts';
import { describeDemo } from '../demo/describe-demo.ts';
import { ConfigError } from '../runtime/config.ts';
import { baseUrlOf } from './arguments.ts';
import { configOf, ReportingCommand } from './command.ts';
import type { CliContext } from './context.ts';

export function demoCommand(context: CliContext): Command {
  const description =
    'Create organisations, cases and credentials to try the API with. Later calls create further cases and ' +
    `credentials; the earlier ones stay. Credentials expire after ${demoDays} days.`;
  return new ReportingCommand(context, 'demo', description, ['demo', 'demo --json --port 8080'])
    .option('--host <host>', 'the host of the server (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port of the server (PORT, 8080)')
    .hook('preAction', (command) => {
      if (configOf(context, command).port === 0)
        throw new ConfigError('The port must not be 0 here: give the port of the running server with --port');
    })
    .onNewStore(async ({ store, config, report }) => {
      const baseUrl = baseUrlOf(config.host, config.port);
      const demo = await createDemo(config, { store, baseUrl, now: context.now });
      await report(demo, () => describeDemo(demo));
    });
}
