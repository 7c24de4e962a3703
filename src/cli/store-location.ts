import { basename } from 'node:path';
import { type Region, regions } from '../domain/region.ts';
import { readSecretFiles } from '../runtime/config-values.ts';
import { faultOfDatabaseUrl } from '../store/settings.ts';
import { sqliteTransferable } from '../store/sqlite/transfer.ts';
import type { Transferable } from '../store/transfer.ts';
import { CliError } from './errors.ts';

/**
 * The store that an option names: `sqlite:FILE`, a PostgreSQL URL without a password, or `env:NAME` for either of them
 * in the environment variable `NAME`, or in the file that `NAME_FILE` names. A URL with a password is accepted only
 * through `env:NAME`, because every user of a machine can read the arguments of its processes.
 * @throws {CliError} if the option names no store; the message never repeats a possible secret
 */
export async function storeAt(
  text: string,
  { option, environment, region }: { option: string; environment: NodeJS.ProcessEnv; region: Region },
): Promise<Transferable> {
  const [, name] = /^env:(.*)$/.exec(text) ?? [];
  if (name === undefined) {
    if (URL.canParse(text) && holdsPassword(new URL(text)))
      throw new CliError(
        `${option} contains a password, which every user of this machine can read. Put the URL into an environment variable ` +
          `and name that (${option} env:DATABASE_URL), or keep the password in ~/.pgpass (PGPASSFILE).`,
      );
    return open(text, option, region);
  }
  if (!/^\w+$/.test(name))
    throw new CliError(`${option} must name an environment variable after env:, such as env:DATABASE_URL.`);
  const secrets = readSecretFiles(environment, [name]);
  const mistake = secrets.mistakes.get(name);
  if (mistake !== undefined) throw new CliError(`${mistake}.`);
  const value = secrets.environment[name];
  if (!value) throw new CliError(`${option} names the environment variable ${name}, which is not set.`);
  return open(value, name, region);
}

/** The driver also accepts a password in the query string. */
function holdsPassword({ password, searchParams }: URL): boolean {
  return password !== '' || searchParams.has('password');
}

async function open(text: string, place: string, region: Region): Promise<Transferable> {
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? [];
  if (path !== undefined) {
    refuseFileOfOtherRegion(path, place, region);
    return sqliteTransferable(path);
  }
  if (!/^postgres(ql)?:/.test(text))
    throw new CliError(`${place} must be sqlite:FILE, a URL such as postgres://user@host/database, or env:NAME.`);
  const fault = faultOfDatabaseUrl(text);
  if (fault !== undefined) throw new CliError(`${place} ${fault}.`);
  const { postgresTransferable } = await import('../store/postgres/transfer.ts');
  return postgresTransferable(text, region, place);
}

function refuseFileOfOtherRegion(path: string, place: string, region: Region): void {
  const other = regions.find((name) => name !== region && basename(path).includes(`-${name}.`));
  if (other !== undefined)
    throw new CliError(
      `${place} names the file ${path}, which seems to belong to region ${other}. If that is what you mean, add --region ${other}.`,
    );
}
