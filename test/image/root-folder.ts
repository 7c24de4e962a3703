/**
 * Commands in a root folder of their own, as in a container but without its engine: a mount namespace with the system's
 * libraries read-only, this Node.js and npm in place of those of the base image, and everything else from the folder.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readlinkSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How a command runs. */
interface Execution {
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders and files of the machine, by their place in the root folder. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Whether the root folder cannot be written to, `mounts` apart. */
  readonly readOnly?: boolean;
}

const users = 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n';
const namespace = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user', '--map-auto'])];
const mountScript = `
set -eu
root=$1 readonly=$2 node=$3 npm=$4 user=$5; shift 5
system() { mount --rbind "$1" "$2"; mount -o remount,bind,ro "$2" 2>/dev/null || [ "$(id -u)" != 0 ]; }
mount --bind "$root" "$root"
system /usr "$root/usr"
system "$root/.base/local" "$root/usr/local"
system "$node" "$root/usr/local/bin/node"
system "$npm" "$root/usr/local/lib/node_modules/npm"
system /etc "$root/etc"
for name in passwd group; do system "$root/.base/$name" "$root/etc/$name"; done
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
while [ "$1" != -- ]; do mount --rbind "$1" "$root/$2"; shift 2; done; shift
[ "$readonly" = no ] || mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" --groups= "$root" /usr/bin/env -i "$@"`;

/** Makes a root folder with what a base image has. */
export async function makeRootFolder(root: string): Promise<void> {
  const folders = [
    ...['usr', 'etc', 'dev', 'proc', 'tmp', 'root', 'home/node'],
    ...['.base/local/bin', '.base/local/lib/node_modules/npm'],
  ];
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64'])
    if (lstatSync(`/${name}`).isSymbolicLink()) await symlink(readlinkSync(`/${name}`), join(root, name));
  await writeFile(join(root, '.base/passwd'), users);
  await writeFile(join(root, '.base/group'), 'root:x:0:\nnode:x:1000:\n');
  await writeFile(join(root, '.base/local/bin/node'), '');
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, '.base/local/bin', name));
}

/** Starts a command in a root folder. The process is the command's own, so that it gets the signals. */
export function start(execution: Execution, command: readonly string[]) {
  const { root, workdir, user, env, mounts = {}, readOnly = false } = execution;
  const variables = Object.entries({ HOME: user === 'root' ? '/root' : `/home/${user}`, ...env });
  const inside = [root, readOnly ? 'yes' : 'no', process.execPath, npmFolder(), user];
  const child = spawn(
    'unshare',
    [
      ...[...namespace, 'sh', '-c', mountScript, 'sh', ...inside],
      ...Object.entries(mounts).flatMap(([place, source]) => [source, place]),
      ...['--', '-C', workdir, ...variables.map(([name, value]) => `${name}=${value}`), ...command],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })) };
}

/** Removes a folder that holds root folders, with what other users own there. */
export function removeRootFolders(folder: string): void {
  execFileSync('unshare', [...namespace, 'rm', '-rf', folder]);
}

function npmFolder(): string {
  const npm = process.env['npm_execpath'];
  if (npm === undefined) throw new Error('npm is not known: run it as npm test -- image');
  return dirname(dirname(npm));
}
