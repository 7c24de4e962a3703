import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliHarness } from '../../support/cli.ts';
import { addStoredFiles } from '../../support/region-files.ts';
import { addCase } from '../../support/tenants.ts';

/** A region with files, on which commands are run, and a backup of it. */
export interface BackedUp {
  readonly cli: CliHarness;
  readonly caseId: string;
  readonly filesFolder: string;
  readonly backup: string;
  /** A data directory that does not exist. */
  readonly empty: string;
}

export async function startBackedUp(contents = ['one', 'two', 'two']): Promise<BackedUp> {
  const cli = await CliHarness.start();
  const organisation = await cli.addOrganisation();
  const filesFolder = join(cli.folder, 'data', 'document-analysis-uk-files');
  const caseId = await cli.withStore(async (store) => {
    const made = await addCase(store, organisation);
    await addStoredFiles(store, filesFolder, made, contents);
    return made;
  });
  const backup = join(cli.folder, 'backup');
  await cli.json(['backup', backup]);
  return { cli, caseId, filesFolder, backup, empty: join(cli.folder, 'empty') };
}

const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** Changes the manifest of a backup, and has it name what is there: as a program would have written it. */
export async function rewriteManifest(backup: string, changes: Record<string, unknown> = {}): Promise<void> {
  const path = join(backup, 'manifest.json');
  const { manifest: before } = JSON.parse(await readFile(path, 'utf8')) as { manifest: object };
  const parts = await readFile(join(backup, 'parts.sha256'));
  const manifest = { ...before, parts_sha256: digest(parts), ...changes };
  await writeFile(path, JSON.stringify({ manifest, sha256: digest(JSON.stringify(manifest)) }));
}
