import { chmod } from 'node:fs/promises';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { startListening } from './start.ts';

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

/** Starts PgBouncer in front of a database, to which it connects as the URL says. */
export async function startPgBouncer(databaseUrl: string, settings: readonly string[]) {
  const folder = await TemporaryFolder.make();
  const url = new URL(databaseUrl);
  const port = await freePort();
  const password = url.password === '' ? '' : ` password=${decodeURIComponent(url.password)}`;
  const configuration = await folder.write(
    'pgbouncer.ini',
    [
      '[databases]',
      `* = host=${url.hostname} port=${url.port} user=${url.username}${password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\nadmin_users = admin`,
      ...settings,
    ].join('\n'),
  );
  // It refuses to run as root, and reads its configuration as the other user.
  await chmod(folder.path, 0o755);
  await chmod(configuration, 0o644);
  url.host = `127.0.0.1:${port}`;

  const command = async (text: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'admin', database: 'pgbouncer' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const start = () => startListening(['pgbouncer', '-q', ...asNobody, configuration], () => command('SHOW VERSION'));
  let program = await start();
  return {
    url: url.href,
    command,
    start: async () => {
      program = await start();
    },
    kill: () => program.kill(),
  };
}
