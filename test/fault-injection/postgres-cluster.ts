/** A PostgreSQL server for one scenario, which may stop, fill and kill it. PostgreSQL does not run as root. */
import { execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { atExit } from './engines.ts';

const debianFolder = '/usr/lib/postgresql';

export class PostgresCluster {
  readonly url: string;
  /** Stops the server; the caller removes its folder. */
  readonly #stopNow: () => void;
  readonly #folder: string;
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.#stopNow = atExit(() => {
      if (this.isRunning())
        execFileSync(programOf('pg_ctl'), this.#stopArguments('immediate'), asOwner({ stdio: 'ignore' }));
    });
  }

  /** The reason why this machine does not support it; undefined if it does. */
  static missing(): string | undefined {
    if (!existsSync(programOf('initdb')))
      return 'PostgreSQL is not installed: initdb is neither in PATH nor in /usr/lib/postgresql';
    if (process.getuid?.() === 0 && ownerIds() === undefined)
      return 'PostgreSQL does not run as root, and there is no user postgres';
    return undefined;
  }

  /** Has a server in a folder for as long as the work takes. */
  static async with<T>(folder: string, work: (cluster: PostgresCluster) => Promise<T>): Promise<T> {
    const cluster = await PostgresCluster.#create(folder);
    try {
      return await work(cluster);
    } finally {
      cluster.#stopNow();
    }
  }

  static async #create(folder: string): Promise<PostgresCluster> {
    const cluster = new PostgresCluster(`${folder}/postgres`, await freePort());
    mkdirSync(cluster.#folder);
    const owner = ownerIds();
    if (owner) chownSync(cluster.#folder, owner.uid, owner.gid);
    const how = '--username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync --wal-segsize=1';
    await run('initdb', [`--pgdata=${cluster.#folder}/data`, ...how.split(' ')]);
    await cluster.start();
    return cluster;
  }

  async start(): Promise<void> {
    const settings = [`-p ${this.#port}`, '-c listen_addresses=127.0.0.1', "-c unix_socket_directories=''"];
    const options = [...settings, '-c min_wal_size=2MB', '-c max_wal_size=8MB'].join(' ');
    const files = ['-D', `${this.#folder}/data`, '-l', `${this.#folder}/log`];
    await run('pg_ctl', ['start', '-w', '-t', '120', ...files, '-o', options]);
  }

  /** Stops it normally, or as if its machine had lost power. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    await run('pg_ctl', this.#stopArguments(mode));
  }

  isRunning(): boolean {
    try {
      execFileSync(programOf('pg_ctl'), ['status', '-D', `${this.#folder}/data`], asOwner({ stdio: 'ignore' }));
      return true;
    } catch {
      return false;
    }
  }

  /** Uses a separate connection, as another program would. */
  async beside<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  #stopArguments(mode: string): string[] {
    return ['stop', '-w', '-t', '120', '-m', mode, '-D', `${this.#folder}/data`];
  }
}

/** Inherits no output streams, because a PostgreSQL server keeps them open. */
async function run(program: string, args: string[]): Promise<void> {
  const child = spawn(programOf(program), args, asOwner({ stdio: 'ignore' }));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

function programOf(name: string): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [...folders, ...versions.map((version) => `${debianFolder}/${version}/bin`)];
  return `${places.find((place) => existsSync(`${place}/${name}`)) ?? debianFolder}/${name}`;
}

function asOwner<T extends SpawnOptions>(options: T): T {
  return { cwd: tmpdir(), ...(process.getuid?.() === 0 ? ownerIds() : {}), ...options };
}

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
