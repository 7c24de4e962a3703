/** `node scripts/release-notes.ts VERSION`: prints what the changelog lists under a version. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import { changelogFile, entriesOfVersion } from './release/changelog.ts';

await runCommandLine(
  new Command('node scripts/release-notes.ts')
    .description(`Print what ${changelogFile} lists under a version.`)
    .argument('<version>', 'a released version, as in 0.0.2')
    .action((version: string) => {
      const entries = entriesOfVersion(readFileSync(changelogFile, 'utf8'), version);
      if (entries === '') throw new Error(`The changelog lists nothing under ${version}.`);
      console.log(entries);
    }),
);
