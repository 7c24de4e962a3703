/** Names of the folders of files that come in. A name says whose it is, so that nobody removes it while that process runs. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

const host = hostname().replace(/[^\w-]/g, '_');
const ofThisHost = new RegExp(`^[0-9a-f-]{36}\\.(\\d+)\\.${host}$`);

/** A new name, of this process. */
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
    // Another user's process may be there, and not be told anything.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
