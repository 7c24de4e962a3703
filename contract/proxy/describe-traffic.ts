import type { ProxyRecord } from './proxy-record.ts';
import type { Tally } from './tally.ts';
import { count, printable, table } from '../cli/run-command.ts';

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
