/**
 * Restrictions that the operating system puts on a process before Node.js starts in it. Each layer is optional: the
 * first job finds out which ones the system supports.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a process may use. */
export interface ResourceLimits {
  /** Of all its threads together. */
  processorSeconds: number;
  /** A fallback for the watched memory limit, and higher: V8 reserves more memory than it fills. */
  mebibytesOfData: number;
}

/** Ends with its parent, even in an endless loop, and never gains a privilege. */
const endsWithParent = ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'];
/** Has no network, and cannot see processes outside. */
const alone = ['unshare', '--user', '--net', '--ipc'];
/** Sets resource limits. */
const shell = ['sh', '-c'];
const layers = [[...endsWithParent, ...alone, ...shell], [...endsWithParent, ...shell], shell];

const mostDescriptors = 64;
/** Only the soft limit has a signal of its own for used-up processor time; the hard limit's signal has many causes. */
const limitsScript = `
  ulimit -c 0; ulimit -f 0; ulimit -n ${mostDescriptors}; ulimit -S -t "$1"; ulimit -d "$2"
  shift 2; exec "$@"`;

let available: Promise<readonly string[] | undefined> | undefined;

/**
 * Wraps a command in the restrictions. The wrapper replaces itself with the command, so both have the same process id.
 * @throws what prevents any process from starting
 */
export async function contained(
  command: readonly string[],
  { processorSeconds, mebibytesOfData }: ResourceLimits,
): Promise<readonly string[]> {
  const layer = await (available ??= firstAvailable());
  if (!layer) return command;
  return [...layer, limitsScript, 'sh', String(processorSeconds), String(mebibytesOfData * 1024), ...command];
}

async function firstAvailable(): Promise<readonly string[] | undefined> {
  try {
    // A Windows shell would not limit a Windows program.
    if (process.platform === 'win32') return undefined;
    for (const layer of layers) if (await runs([...layer, 'true'])) return layer;
    return undefined;
  } catch (error) {
    // The failure says nothing about the layers, so the next job tries again.
    available = undefined;
    throw error;
  }
}

async function runs([file = '', ...args]: readonly string[]): Promise<boolean> {
  try {
    await promisify(execFile)(file, args);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number' || /^(ENOENT|EACCES|EPERM)$/.test(String(code))) return false;
    // The machine has run out of a resource.
    throw error;
  }
}
