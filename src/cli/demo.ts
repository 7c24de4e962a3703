import type { Command } from 'commander';
import { ConfigError } from '../runtime/config.ts';
import { createDemo } from '../demo/create-demo.ts';
import { describeDemo } from '../demo/describe-demo.ts';
import { reportingCommand } from './arguments.ts';
import { baseUrlOf } from './base-url.ts';
import type { CliContext } from './context.ts';
import { printResult } from './output.ts';
import { configOf, withStore } from './with-store.ts';

/** Makes data to try the API with. */
export function demoCommand(context: CliContext): Command {
  return reportingCommand(
    'demo',
    'Make organisations, cases and fresh credentials to try the API with. The organisations and cases are made once; ' +
      'the credentials of earlier calls stay valid.',
    ['demo', 'demo --json --port 8080'],
  )
    .option('--host <host>', 'where the server listens (HOST)')
    .option('--port <port>', 'where the server listens (PORT)')
    .action((options: { json?: boolean }, command: Command) => {
      const { host, port, region } = configOf(context, command);
      if (port === 0)
        throw new ConfigError('PORT must not be 0 here: name the port on which the server listens, with --port PORT');
      return withStore(context, command, async (store) => {
        const demo = await createDemo(store, { baseUrl: baseUrlOf(host, port), region, now: context.now });
        await printResult(context, options, demo, () => describeDemo(demo));
      });
    });
}
