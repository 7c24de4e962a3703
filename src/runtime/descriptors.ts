/**
 * File descriptors, of which each connection takes one. With none left, Node.js closes every new connection while idle ones
 * stay open, and nothing else can be opened either: so connections are bounded below what the system gives the process.
 */
import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import { maxOpsConnections } from './operations-port/ops-server.ts';

/** The process's own, the embedded database's, those of temporary files, analyses and single connections elsewhere. */
const ownDescriptors = 64;

/** How many the process may have open; Infinity if nothing bounds them. Node.js raises it to the hard limit at start. */
export function descriptorLimit(): number {
  const limit = process.platform === 'linux' ? limitOfLinux() : limitOfReport();
  return Number(limit ?? Infinity) || Infinity;
}

/** The bound on connections that leaves descriptors for all else: `MAX_CONNECTIONS`, or less. */
export function connectionsWithin(
  limit: number,
  { maxConnections, ops, database }: Pick<Config, 'maxConnections' | 'ops' | 'database'>,
): number {
  const pools = database ? database.poolSize * (database.readUrl === undefined ? 1 : 2) : 0;
  const others = ownDescriptors + (ops ? maxOpsConnections : 0) + pools;
  return Math.min(maxConnections, Math.max(limit - others, Math.ceil(limit / 4)));
}

/** A hundred times as fast as the report. */
function limitOfLinux(): string | undefined {
  return /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
}

function limitOfReport(): unknown {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  return report.userLimits?.open_files?.soft;
}
