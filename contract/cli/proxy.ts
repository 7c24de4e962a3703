import { Command } from 'commander';
import { createProxy } from '../proxy/app.ts';
import type { ProxyRecord } from '../proxy/observe.ts';
import { baseUrlOf, documentToCheck, duration, port, portOf } from './options.ts';
import type { CommandContext, ExitCode, MakeCommand } from './run-command.ts';
import { count, exitCodes, print, printable, table } from './run-command.ts';
import { serve, stopped } from './serve.ts';

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
  const passed = { request: 0, response: 0 };
  const broken = { request: 0, response: 0 };
  const rows = new Map<string, Pick<ProxyRecord, 'type' | 'operation_id'> & { rule: string; count: number }>();
  const tell = (value: object, lines: string[]) => print(stdout, `${json ? jsonLine(value) : lines.join('\n')}\n`);
  const report = (record: ProxyRecord): void => {
    const { type, operation_id, violations, body_not_checked: unchecked } = record;
    passed[type] += 1;
    if (violations.length > 0) broken[type] += 1;
    for (const rule of new Set(violations.map((violation) => violation.rule))) {
      const key = JSON.stringify([type, operation_id, rule]);
      rows.set(key, { type, operation_id, rule, count: (rows.get(key)?.count ?? 0) + 1 });
    }
    if (violations.length > 0 || unchecked !== null) tell(record, linesOf(record)).catch(() => undefined);
  };
  const proxy = createProxy({ target, caseTarget, timeoutSeconds, document, report, now: () => new Date() });
  const server = await serve(proxy.listener, { host, port: portOf(options, environment, 8081) });
  const targets = caseTarget === target ? target : `${target} and ${caseTarget}`;
  await tell({ type: 'start', url: server.url, target, case_target: caseTarget }, [
    `Proxying ${server.url} to ${targets}`,
  ]);
  await stopped(signal);
  await server.close();
  await proxy.close();
  const broke = `${count(broken.request, 'request')} and ${count(broken.response, 'response')} broke the contract`;
  const lines = [...rows.values()].map((row) => [row.type, row.operation_id, row.rule, String(row.count)]);
  const summary =
    lines.length === 0 ? 'none broke the contract' : `${broke}\n\n${table(['', 'operation', 'rule', 'times'], lines)}`;
  await tell({ type: 'summary', passed, broken, broken_rules: [...rows.values()] }, [
    '',
    `${count(passed.request, 'request')}, ${count(passed.response, 'response')}; ${summary}`,
  ]);
  if (strict && rows.size > 0) throw new Error(`${broke}.`);
  return exitCodes.done;
}

/** JSON that cannot control the terminal: `JSON.stringify` does not escape DEL and the C1 control characters. */
function jsonLine(value: object): string {
  return JSON.stringify(value).replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function linesOf({ type, time, method, path, status, ...record }: ProxyRecord): string[] {
  const { violations, body_not_checked: unchecked, violations_left_out: more } = record;
  const where = `${time.slice(11, 19)}  ${type.padEnd(8)}  ${method} ${path}${status === null ? '' : ` ${status}`}`;
  return [
    ...violations.map(({ rule, message }) => `${where}  ${rule}: ${message}`),
    ...(more > 0 ? [`${where}  and ${count(more, 'more fault')}`] : []),
    ...(unchecked === null ? [] : [`${where}  the body was not checked: ${unchecked}`]),
  ].map(printable);
}
