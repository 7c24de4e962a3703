import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { exitCodes } from '../src/cli/errors.ts';
import { print } from '../src/cli/output.ts';
import { changelogFile, entriesOfVersion } from './release/changelog.ts';
import { runAsMain, runScript } from './script.ts';

const command = new Command('node scripts/release-notes.ts')
  .description(`Print what ${changelogFile} lists under a version.`)
  .argument('<version>', 'a released version, as in 0.0.2');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async ({ args: [version = ''] }) => {
    const changelog = await readFile(join(context.root, changelogFile), 'utf8');
    const entries = entriesOfVersion(changelog, version);
    if (entries === '') throw new Error(`The changelog lists nothing under ${version}.`);
    await print(context.stdout, `${entries}\n`);
    return exitCodes.done;
  }),
);
