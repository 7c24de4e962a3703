import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ApiError, Call, ClientOptions } from '../../../client/index.ts';
import { documentOf } from '../../../contract/document/index.ts';
import { installPackages } from '../../../scripts/install-packages.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** A client whose operations no type tells. */
export type AnyClient = Record<string, (...inputs: unknown[]) => Call<unknown>>;

export interface ClientModule {
  createClient(options: Partial<ClientOptions> & { region: string }): AnyClient;
  isApiError(error: unknown, operationId: string): error is ApiError;
}

/** Writes the sources of a client of the other document to a folder of their own. */
export async function generateClient(): Promise<{ folder: string; client: ClientModule }> {
  await installPackages('scripts');
  // Loads a package of scripts/.
  const { sourcesOf } = await import('../../../scripts/generate/sources.ts');
  const document = parse(await readFile(join(import.meta.dirname, 'openapi.yaml'), 'utf8')) as object;
  const folder = await makeTemporaryFolder();
  for (const file of await readdir('client'))
    if (file.endsWith('.ts')) await cp(join('client', file), join(folder, file));
  await mkdir(join(folder, 'generated'));
  const sources = await sourcesOf(documentOf(document), JSON.stringify(document));
  for (const [file, source] of Object.entries(sources))
    if (file.startsWith('client/')) await writeFile(join(folder, file.replace('client/', '')), source);
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const client = (await import(join(folder, 'index.ts'))) as ClientModule;
  return { folder, client };
}
