/**
 * What the operating system takes from a process before Node.js starts in it. All of it is optional: each layer is used
 * where the system has it, which is tried once.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a process may use. */
export interface ResourceLimits {
  /** Of all its threads together. */
  processorSeconds: number;
  /** A fence behind the bound of memory, which is watched: V8 takes more than it fills. */
  mebibytesOfData: number;
}

/** Ends with its parent, even in an endless loop, and never gains a privilege. */
const endsWithParent = ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'];
/** Has no network, and cannot look into processes outside. */
const alone = ['unshare', '--user', '--net', '--ipc'];
/** Has limits. */
const shell = ['sh', '-c'];
const layers = [[...endsWithParent, ...alone, ...shell], [...endsWithParent, ...shell], shell];

const mostDescriptors = 64;
/** The signal of the soft limit shows that the processor time is used up; the one of the hard limit has many causes. */
const limitsScript = `
  ulimit -c 0; ulimit -f 0; ulimit -n ${mostDescriptors}; ulimit -S -t "$1"; ulimit -d "$2"
  shift 2; exec "$@"`;

let available: Promise<readonly string[] | undefined> | undefined;

/**
 * A command that runs another one with less: it replaces itself by it, so that its process is that of the other.
 * @throws what keeps any process from being started
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
    // A shell of Windows would not bound a program of Windows.
    if (process.platform === 'win32') return undefined;
    for (const layer of layers) if (await runs([...layer, 'true'])) return layer;
    return undefined;
  } catch (error) {
    // That says nothing of the layers: the next job looks again.
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
    // The machine has run out of something.
    throw error;
  }
}
