/** A PostgreSQL server for one scenario, which may stop, fill and kill it. PostgreSQL does not run as root. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { freePort } from '../../scripts/free-port.ts';
import { afterwards } from '../support/afterwards.ts';

const debianFolder = '/usr/lib/postgresql';

/** The reason why this machine does not support it; undefined if it does. */
export function postgresMissing(): string | undefined {
  if (!existsSync(programOf('initdb')))
    return 'PostgreSQL is not installed: initdb is neither in PATH nor in /usr/lib/postgresql';
  if (process.getuid?.() === 0 && ownerIds() === undefined)
    return 'PostgreSQL does not run as root, and there is no user postgres';
  return undefined;
}

export type PostgresCluster = Awaited<ReturnType<typeof startPostgresCluster>>;

/** Starts a server in a folder, which is stopped at last; the caller removes the folder. */
export async function startPostgresCluster(parent: string) {
  const [folder, port, owner] = [`${parent}/postgres`, await freePort(), ownerIds()];
  mkdirSync(folder);
  if (owner) chownSync(folder, owner.uid, owner.gid);
  // It inherits no output streams, because a PostgreSQL server keeps them open.
  const options = { cwd: tmpdir(), ...owner, stdio: 'ignore' } as const;
  const run = async (program: string, ...args: string[]) => {
    const [code] = (await once(spawn(programOf(program), args, options), 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
  };
  const control = (...args: string[]) => run('pg_ctl', ...args, '-D', `${folder}/data`);
  const settings = [`-p ${port}`, '-c listen_addresses=127.0.0.1', "-c unix_socket_directories=''"];
  const sizes = ['-c min_wal_size=2MB', '-c max_wal_size=8MB'];
  const cluster = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () => control('start', '-w', '-t', '120', '-l', `${folder}/log`, '-o', [...settings, ...sizes].join(' ')),
    /** Stops it normally, or as if its machine had lost power. */
    stop: (mode: 'fast' | 'immediate') => control('stop', '-w', '-t', '120', '-m', mode),
    isRunning: () =>
      control('status').then(
        () => true,
        () => false,
      ),
  };
  afterwards(async () => {
    if (await cluster.isRunning()) await cluster.stop('immediate');
  });
  const how = '--username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync --wal-segsize=1';
  await run('initdb', `--pgdata=${folder}/data`, ...how.split(' '));
  await cluster.start();
  return cluster;
}

function programOf(name: string): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [...folders, ...versions.map((version) => `${debianFolder}/${version}/bin`)];
  return `${places.find((place) => existsSync(`${place}/${name}`)) ?? debianFolder}/${name}`;
}

/** Of the user that PostgreSQL runs as in place of root. */
function ownerIds(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const id = (option: string) =>
      Number(execFileSync('id', [option, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}
