/** Names of the folders in `incoming`. A name holds the process and the host, so that nobody removes it while that process runs. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

const host = hostname().replace(/[^\w-]/g, '_');
const ofThisHost = new RegExp(`^[0-9a-f-]{36}\\.(\\d+)\\.${host}$`);

/** A new name for this process. */
export function newIncomingName(): string {
  return `${randomUUID()}.${process.pid}.${host}`;
}

/** Whether a folder of this name belongs to a process that runs on this host, whatever the clock says of its age. */
export function isOfRunningProcess(name: string): boolean {
  const [, pid] = ofThisHost.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
