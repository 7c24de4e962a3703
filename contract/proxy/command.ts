import type { Command } from 'commander';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { baseAddressForm, parseBaseAddress } from '../conformance/base-address.ts';
import { createProxy } from './app.ts';
import type { ProxyRecord } from './proxy-record.ts';
import { Tally } from './tally.ts';
import { startServer } from '../../src/api/connections/start-server.ts';
import { answeringCommand } from '../../src/cli/arguments.ts';
import { baseUrlOf } from '../../src/cli/base-url.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { describeRecord, describeTally } from './describe-traffic.ts';
import { CliError } from '../../src/cli/errors.ts';
import { count, jsonText } from '../../src/cli/output.ts';
import { takeStopSignals } from '../../src/cli/stop-signal.ts';

const timeoutSeconds = 60;

interface ProxyOptions {
  target: string;
  caseTarget?: string;
  host?: string;
  port?: string;
  json?: boolean;
  strict?: boolean;
}

/** Stands before any server until the process is told to stop, and tells what breaks the contract. */
export function proxyCommand(context: CliContext): Command {
  return answeringCommand(
    'proxy',
    'Pass requests on to a server until SIGINT or SIGTERM, and report each request and each answer that breaks the ' +
      'contract. Nothing is changed or held back. Credentials are never printed.',
    [
      'proxy --target http://127.0.0.1:8080',
      'proxy --target https://api.example.com --case-target https://cases.example.com --json > traffic.ndjson',
    ],
    'print JSON lines: one for each such request and answer, and a summary',
  )
    .requiredOption('--target <url>', 'the base address of the server to pass requests on to')
    .option('--case-target <url>', 'the base address of its case operations, if it is another one')
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8081)')
    .option('--strict', 'end with exit code 1 if a request or an answer broke the contract')
    .action((options: ProxyOptions) => runProxy(context, options));
}

async function runProxy({ environment, stdout, now }: CliContext, options: ProxyOptions): Promise<void> {
  const { host, port, json = false, strict = false } = options;
  const target = baseAddress(options.target, '--target');
  const caseTarget = options.caseTarget === undefined ? target : baseAddress(options.caseTarget, '--case-target');
  const config = readConfig(
    { PORT: '8081', ...environment },
    { ...(host !== undefined && { host }), ...(port !== undefined && { port }) },
  );
  const tally = new Tally();
  const tell = (value: object, lines: string[]): void => {
    for (const line of json ? [jsonText(value)] : lines) stdout.write(`${line}\n`);
  };
  const report = (record: ProxyRecord): void => {
    tally.add(record);
    if (record.violations.length > 0 || record.body_not_checked !== null) tell(record, describeRecord(record));
  };
  const proxy = createProxy({ target, caseTarget, timeoutSeconds, report, now });
  const service = await startServer(proxy.listener, config);
  const stop = takeStopSignals(['SIGINT', 'SIGTERM']);
  const url = baseUrlOf(config.host, service.port);
  const targets = caseTarget === target ? target : `${target} and ${caseTarget}`;
  tell({ type: 'start', url, target, case_target: caseTarget }, [`Proxying ${url} to ${targets}`]);
  await stop.given;
  await service.close();
  await proxy.close();
  stop.release();
  const { passed, broken, rows } = tally;
  tell({ type: 'summary', passed, broken, broken_rules: rows }, ['', describeTally(tally)]);
  if (strict && rows.length > 0)
    throw new CliError(`${count(broken.request, 'request')} and ${count(broken.answer, 'answer')} broke the contract.`);
}

/** The value is not repeated in the message, because it may hold a password. */
function baseAddress(text: string, option: string): string {
  const address = parseBaseAddress(text);
  if (address === undefined) throw new ConfigError(`${option} must be ${baseAddressForm}`);
  return address;
}
