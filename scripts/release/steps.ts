import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isScalar, parseDocument } from 'yaml';
import { changelogFile, contractChangelogFile, releaseChangelog } from './changelog.ts';
import { run } from './run.ts';
import { releasedFile } from './released.ts';
import { contractFile } from './verdict.ts';

/** The folders that `npm run generate` writes: generated files, and stubs of what is new in the document. */
const generated = [
  ...['generated', 'contract/generated', 'client/generated'],
  ...['src/api/operations', 'test/contract'],
];

/** A step of a release; its title is shown before and after it. */
export interface Step {
  readonly title: string;
  readonly take: () => Promise<unknown>;
}

const packages = ['package.json', 'contract/package.json', 'client/package.json', 'package-lock.json'];
const written = [contractFile, ...packages, ...generated, changelogFile, contractChangelogFile];

/** Updates only the lock file, without downloading anything. */
const npmVersionOptions = [
  ...['--workspaces', '--include-workspace-root', '--no-git-tag-version', '--allow-same-version'],
  ...['--ignore-scripts', '--package-lock-only', '--offline'],
];

export function stepsOf(version: string, date: Date): Step[] {
  const edit = async (file: string, change: (text: string) => string) => {
    await writeFile(file, change(await readFile(file, 'utf8')));
  };
  const released = releasedFile(version);
  return [
    {
      title: `set info.version in ${contractFile}`,
      take: () => edit(contractFile, (text) => withVersion(text, version)),
    },
    { title: 'set the version of the packages', take: () => run('npm', 'version', version, ...npmVersionOptions) },
    { title: 'regenerate what follows from the document', take: () => run('npm', 'run', '--silent', 'generate') },
    ...[changelogFile, contractChangelogFile].map((file) => ({
      title: `move the unreleased entries of ${file} under ${version}`,
      take: () => edit(file, (text) => releaseChangelog(text, version, date)),
    })),
    {
      title: `keep the contract as ${released}`,
      take: async () => {
        await mkdir(dirname(released), { recursive: true });
        await copyFile(contractFile, released);
      },
    },
    {
      title: `commit it as "chore(release): ${version}"`,
      take: async () => {
        await run('git', 'add', '--', ...written, released);
        await run('git', 'commit', '--message', `chore(release): ${version}`);
      },
    },
    {
      title: `tag it as v${version}`,
      take: () => run('git', 'tag', '--annotate', `v${version}`, '--message', version),
    },
  ];
}

/** Undoes all steps of a failed release. The working tree was clean before, so the commit contains everything. */
export async function takeBack(version: string, commit: string): Promise<void> {
  await run('git', 'reset', '--quiet', '--soft', commit);
  await run('git', 'restore', '--source', commit, '--staged', '--worktree', '--', ...written);
  await run('git', 'rm', '--quiet', '--cached', '--force', '--ignore-unmatch', '--', releasedFile(version));
  await rm(releasedFile(version), { force: true });
}

/** Changes only the version: the rest of the document stays the same, byte for byte. */
function withVersion(text: string, version: string): string {
  const node = parseDocument(text).getIn(['info', 'version'], true);
  if (!isScalar(node) || !node.range) throw new Error(`${contractFile} has no info.version.`);
  return text.slice(0, node.range[0]) + version + text.slice(node.range[1]);
}

/**
 * Lints the document and regenerates the files that depend on it.
 * @throws {Error} if the document has a fault, or the generated files are out of date; these are then restored
 */
export async function refuseUnproven(): Promise<void> {
  await run('npm', 'run', '--silent', 'lint:spec');
  await run('npm', 'run', '--silent', 'generate');
  const stale = await run('git', 'status', '--porcelain', '--', ...generated);
  if (stale === '') return;
  await run('git', 'restore', '--', ...generated);
  await run('git', 'clean', '-d', '--force', '--quiet', '--', ...generated);
  throw new Error(
    `What is generated does not follow from ${contractFile}: run npm run generate and commit the result.\n${stale}`,
  );
}
