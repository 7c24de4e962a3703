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
