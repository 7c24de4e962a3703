import { Command } from 'commander';
import { baseUrlOf, duration, port, portOf } from '../cli/options.ts';
import { documentToCheck } from '../cli/document-option.ts';
import {
  type CommandContext,
  type ExitCode,
  type MakeCommand,
  count,
  exitCodes,
  print,
  printable,
  table,
} from '../cli/run-command.ts';
import { serve, stopped } from '../cli/serve.ts';
import { createProxy } from './app.ts';
import type { ProxyRecord } from './proxy-record.ts';
import { Tally } from './tally.ts';

const help = `
Nothing is changed or held back, and no credential is printed.

Examples:
  $ document-analysis-contract proxy --target http://127.0.0.1:8080
  $ document-analysis-contract proxy --target https://api.example.com --case-target https://cases.example.com --json`;

interface Options {
  readonly target: string;
  readonly caseTarget?: string;
  readonly host: string;
  readonly port?: number;
  readonly timeoutSeconds: number;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly openapi?: string;
}

/** Forwards requests to a server until the process is interrupted, and reports violations of the document. */
export const proxyCommand: MakeCommand = (context, end) =>
  new Command('proxy')
    .description('Forward requests to a server until SIGINT or SIGTERM, and report violations of the document.')
    .requiredOption('--target <url>', 'the base address of the server to forward requests to')
    .option('--case-target <url>', 'the base address of its case operations, if different')
    .option('--host <host>', 'the address to listen on', context.environment['HOST'] ?? '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 chooses a free one (PORT, 8081)', port)
    .option('--timeout-seconds <seconds>', 'how long the target may be silent', duration, 60)
    .option('--json', 'print JSON lines: one for each such request and response, and a summary')
    .option('--strict', 'exit with code 1 if a request or a response violated the document')
    .option('--openapi <file>', "check against this document (OpenAPI 3.0 or 3.1) instead of the project's own")
    .addHelpText('after', help)
    .action(async (options: Options) => {
      end(await runProxy(context, options));
    });

async function runProxy({ stdout, stderr, environment, signal }: CommandContext, options: Options): Promise<ExitCode> {
  const { host, timeoutSeconds, json = false, strict = false } = options;
  const target = baseUrlOf(options.target, '--target');
  const caseTarget = options.caseTarget === undefined ? target : baseUrlOf(options.caseTarget, '--case-target');
  const document = await documentToCheck(options.openapi, stderr);
  const tally = new Tally();
  const tell = (value: object, lines: string[]) => print(stdout, `${json ? jsonLine(value) : lines.join('\n')}\n`);
  const report = (record: ProxyRecord): void => {
    tally.add(record);
    if (record.violations.length > 0 || record.body_not_checked !== null)
      tell(record, describeRecord(record)).catch(() => undefined);
  };
  const proxy = createProxy({ target, caseTarget, timeoutSeconds, document, report, now: () => new Date() });
  const server = await serve(
    proxy.listener,
    { host, port: portOf(options, environment, 8081) },
    { requireHostHeader: false },
  );
  const targets = caseTarget === target ? target : `${target} and ${caseTarget}`;
  await tell({ type: 'start', url: server.url, target, case_target: caseTarget }, [
    `Proxying ${server.url} to ${targets}`,
  ]);
  await stopped(signal);
  await server.close();
  await proxy.close();
  const { passed, broken, rows } = tally;
  await tell({ type: 'summary', passed, broken, broken_rules: rows }, ['', describeTally(tally)]);
  if (strict && rows.length > 0) throw new Error(`${describeBroken(tally)}.`);
  return exitCodes.done;
}

/** JSON that cannot control the terminal: `JSON.stringify` does not escape DEL and the C1 control characters. */
function jsonLine(value: object): string {
  return JSON.stringify(value).replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** A line for each violation in a request or a response, and one if its body was not checked. */
export function describeRecord(record: ProxyRecord): string[] {
  const {
    type,
    time,
    method,
    path,
    status,
    violations,
    body_not_checked: unchecked,
    violations_left_out: more,
  } = record;
  const where = `${time.slice(11, 19)}  ${type.padEnd(8)}  ${method} ${path}${status === null ? '' : ` ${status}`}`;
  return [
    ...violations.map(({ rule, message }) => printable(`${where}  ${rule}: ${message}`)),
    ...(more > 0 ? [`${where}  and ${count(more, 'more fault')}`] : []),
    ...(unchecked === null ? [] : [printable(`${where}  the body was not checked: ${unchecked}`)]),
  ];
}

/** A summary of the traffic: its size, and which operations violated which rules. */
export function describeTally({ passed, broken, rows }: Tally): string {
  const numbers = `${count(passed.request, 'request')}, ${count(passed.response, 'response')}`;
  if (rows.length === 0) return `${numbers}; none broke the contract`;
  const lines = rows.map((row) => [row.type, row.operation_id, row.rule, String(row.count)]);
  return `${numbers}; ${describeBroken({ broken })}\n\n` + table(['', 'operation', 'rule', 'times'], lines);
}

/** How many requests and responses violated the contract. */
export function describeBroken({ broken }: Pick<Tally, 'broken'>): string {
  return `${count(broken.request, 'request')} and ${count(broken.response, 'response')} broke the contract`;
}
