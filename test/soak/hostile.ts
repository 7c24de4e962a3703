import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the hostile clients need to know. */
export interface HostileOrder {
  readonly port: number;
  readonly idleConnections: number;
  /** Over how long the clients of each kind begin. */
  readonly rampMilliseconds: number;
  readonly ownerKey: string;
  readonly accessToken: string;
  readonly caseId: string;
}

/** What the clients of one kind met. */
export interface HostileReport {
  readonly name: string;
  /** How many connections were made. */
  connections: number;
  open: number;
  mostOpen: number;
  notConnected: number;
  closedWithoutResponse: number;
  /** How many responses of each status came. */
  readonly responses: Record<string, number>;
}

/** Starts the hostile clients in a process of their own; what is returned ends them and tells what they met. */
export function startHostileClients(order: HostileOrder): () => Promise<HostileReport[]> {
  const file = fileURLToPath(new URL('hostile-clients.ts', import.meta.url));
  const child = fork(file, { detached: true });
  child.send(order);
  return async () => {
    const reported = once(child, 'message');
    child.send('stop');
    const [reports] = (await reported) as [HostileReport[]];
    return reports;
  };
}

/** How many idle connections of those wanted this machine's limit on open files allows, with a reserve for all else. */
export function allowedConnections(wanted: number): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { hard: number | 'unlimited' } } };
  const limit = userLimits?.open_files?.hard ?? 'unlimited';
  return limit === 'unlimited' ? wanted : Math.max(0, Math.min(wanted, limit - 1000));
}
