/**
 * Restrictions by the operating system. Each layer is optional: the first job finds out which ones the system supports.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ResourceLimits {
  /** Of all threads of the process together, where the system can limit it; a whole number. */
  processorSeconds: number;
  /**
   * Of the whole process, of which Node.js itself takes about 60. Linux limits its data, so that it cannot exceed this between two
   * looks at its memory.
   */
  mebibytes: number;
}

/** Ends with its parent, even in an endless loop, and never gains a privilege. */
const endsWithParent = ['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'];
/** Has no network, and cannot see processes outside. */
const alone = ['unshare', '--user', '--net', '--ipc'];
const shell = ['sh', '-c'];
const layersToTry = [[...endsWithParent, ...alone, ...shell], [...endsWithParent, ...shell], shell];

const maxDescriptors = 64;
/** Only the soft limit has a signal of its own for used-up processor time; the hard limit's signal has many causes. */
const limitsScript = `
  ulimit -c 0; ulimit -f 0; ulimit -n ${maxDescriptors}; ulimit -S -t "$1"; ulimit -d "$2"
  shift 2; exec "$@"`;

/** The memory of an idle Node.js that counts as data but is hardly filled, such as V8's space for code. */
const idleScript = `console.log(/^VmData:\\s+(\\d+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))?.[1])`;
/** The memory of an idle Node.js: mostly the program itself, which does not count as data. */
const idleMebibytes = 60;

/** `kibibytesOfData` of an idle process; undefined if the system does not tell. */
type Available = { layers: readonly string[]; kibibytesOfData: number | undefined };

let available: Promise<Available | undefined> | undefined;

/**
 * Wraps a command in the restrictions; the process id stays the same. @throws what prevents any process from starting
 */
export async function contained(
  command: readonly string[],
  { processorSeconds, mebibytes }: ResourceLimits,
): Promise<readonly string[]> {
  const { layers, kibibytesOfData: idle } = (await (available ??= firstAvailable())) ?? {};
  if (!layers) return command;
  const data = idle === undefined ? 'unlimited' : String(idle + Math.max(0, mebibytes - idleMebibytes) * 1024);
  return [...layers, limitsScript, 'sh', String(processorSeconds), data, ...command];
}

async function firstAvailable(): Promise<Available | undefined> {
  try {
    // A Windows shell would not limit a Windows program.
    if (process.platform === 'win32') return undefined;
    for (const layers of layersToTry) {
      if ((await outputOf([...layers, 'true'])) === undefined) continue;
      const data = Number(await outputOf([process.execPath, '-e', idleScript]));
      return { layers, kibibytesOfData: data > 0 ? data : undefined };
    }
    return undefined;
  } catch (error) {
    // The failure says nothing about the layers, so the next job tries again.
    available = undefined;
    throw error;
  }
}

async function outputOf([file = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(file, args, { env: {} })).stdout;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'number' || /^(ENOENT|EACCES|EPERM)$/.test(String(code))) return undefined;
    // The machine has run out of a resource.
    throw error;
  }
}
