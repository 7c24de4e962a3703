import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What deploy/prepare.sh makes, in a folder of the test's own. */
export interface Secrets {
  /** The path of a secret, by its name in compose.yaml. */
  path(name: string): string;
  /** Changes the address in a secret that is a URL, as the services are elsewhere here; gives the secret's path. */
  move(name: string, change: (url: URL) => void): Promise<string>;
  remove(): Promise<void>;
}

export async function prepareSecrets(): Promise<Secrets> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-secrets-'));
  for (const script of ['prepare.sh', 'make-certificates.sh']) await cp(`deploy/${script}`, join(folder, script));
  execFileSync(join(folder, 'prepare.sh'));
  const path = (name: string) => join(folder, 'secrets', name);
  return {
    path,
    move: async (name, change) => {
      const url = new URL((await readFile(path(name), 'utf8')).trim());
      change(url);
      await writeFile(path(name), `${url.href}\n`);
      return path(name);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
