import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { changelogFile, contractChangelogFile, hasUnreleased } from './changelog.ts';
import { generated } from './generated.ts';
import type { Run } from './run.ts';
import { contractFile, judgeContract, type Verdict } from './verdict.ts';

/**
 * The reasons why a version cannot be released from the current checkout; empty if it can.
 * @throws {Error} if the contract cannot be compared with the released one
 */
export async function refusals(root: string, version: string, run: Run): Promise<string[]> {
  const [branch, changed, tag, changelog, contractChangelog, verdict] = await Promise.all([
    run('git', 'rev-parse', '--abbrev-ref', 'HEAD'),
    run('git', 'status', '--porcelain'),
    run('git', 'tag', '--list', `v${version}`),
    readFile(join(root, changelogFile), 'utf8'),
    readFile(join(root, contractChangelogFile), 'utf8'),
    judgeContract(root),
  ]);
  return [
    ...(branch === 'main' ? [] : [`The branch is ${branch}: a release is made on main.`]),
    ...(changed === '' ? [] : [`The working tree is not clean: commit what it holds, or put it away.\n${changed}`]),
    ...(tag === '' ? [] : [`The tag ${tag} exists already.`]),
    ...versionRefusals(version, verdict),
    ...changelogRefusals(changelogFile, changelog),
    ...(verdict.kind === 'none' ? [] : changelogRefusals(contractChangelogFile, contractChangelog)),
  ];
}

function versionRefusals(version: string, { released, version: announced, kind, lowestVersion }: Verdict): string[] {
  if (released !== undefined && semver.lte(version, released))
    return [`${version} is not higher than ${released}, which is released already.`];
  if (released !== undefined && semver.lt(version, lowestVersion)) {
    const what = kind === 'breaking' ? 'break clients' : 'add to the contract';
    return [
      `${version} is too low for changes that ${what}: it must be ${lowestVersion} or higher. See npm run diff:contract.`,
    ];
  }
  return semver.lt(version, announced) ? [`${contractFile} says ${announced} already.`] : [];
}

function changelogRefusals(file: string, changelog: string): string[] {
  return hasUnreleased(changelog) ? [] : [`${file} lists nothing under "## Unreleased": tell there what users get.`];
}

/**
 * Lints the document and regenerates the files that depend on it.
 * @throws {Error} if the document has a fault, or the generated files are out of date; these are then restored
 */
export async function refuseUnproven(run: Run): Promise<void> {
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
