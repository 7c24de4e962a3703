import { createTwoFilesPatch } from 'diff';
import semver from 'semver';
import { type Change, parseDocument } from '../release/document.ts';
import { compareContracts } from '../release/compare-contracts.ts';
import { fence, list, type SitePage, table } from './markdown.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOfVersion } from '../release/changelog.ts';
import { releasedFolder } from '../release/released.ts';

export interface Version {
  readonly version: string;
  readonly yaml: string;
}

interface Release extends Version {
  readonly before?: Version;
  readonly changes: readonly Change[];
}

/** Pages of the released versions, latest first: notes, changes for clients, and the complete diff. */
export async function versionPages(released: readonly Version[], changelog: string): Promise<SitePage[]> {
  const releases = await releasesOf(released);
  if (releases.length === 0) return [];
  const rows = releases.map((release) => [
    `[${release.version}](/versions/${release.version}.html)`,
    summaryOf(release),
    `[openapi.yaml](${documentAddress(release.version)})`,
  ]);
  return [
    {
      path: 'versions',
      title: 'Versions of the contract',
      label: 'All versions',
      description: 'Every released version of the contract with its changes.',
      markdown:
        'The contract follows semantic versioning. The document of each released version stays as it was published.\n\n' +
        table(['Version', 'Changes', 'Document'], rows),
    },
    ...releases.map((release) => versionPage(release, entriesOfVersion(changelog, release.version))),
  ];
}

export function documentAddress(version: string): string {
  return `/versions/${version}.yaml`;
}

async function releasesOf(released: readonly Version[]): Promise<Release[]> {
  const ordered = [...released].sort((one, other) => semver.compare(one.version, other.version));
  const releases = ordered.map(async (current, index) => {
    const before = ordered[index - 1];
    if (!before) return { ...current, changes: [] };
    const { changes } = await compareContracts(parseDocument(before.yaml), parseDocument(current.yaml));
    return { ...current, before, changes };
  });
  return (await Promise.all(releases)).reverse();
}

function versionPage(release: Release, notes: string): SitePage {
  const { version, before, changes } = release;
  const some = (severity: Change['severity']) => changes.filter((change) => change.severity === severity);
  return {
    path: `versions/${version}`,
    title: `Version ${version}`,
    label: version,
    description: summaryOf(release),
    markdown: [
      summaryOf(release),
      `The document of this version is [openapi.yaml](${documentAddress(version)}).`,
      ...(notes === '' ? [] : [`## Changelog\n\n${notes}`]),
      ...(before
        ? [
            ...changesUnder('Breaking changes', some('breaking')),
            ...changesUnder('Compatible changes', some('compatible')),
            `## Differences from ${before.version}\n\n${fence('diff', patchOf(before, release))}`,
          ]
        : [`## Operations\n\n${operationsOf(release)}`]),
    ].join('\n\n'),
  };
}

function summaryOf({ before, changes }: Release): string {
  if (!before) return 'The first version.';
  const breaking = changes.filter(({ severity }) => severity === 'breaking').length;
  return `Since ${before.version}: ${breaking} breaking and ${changes.length - breaking} compatible changes.`;
}

function changesUnder(title: string, changes: readonly Change[]): string[] {
  if (changes.length === 0) return [];
  const lists = [...Map.groupBy(changes, ({ where }) => where)].map(
    ([place, some]) => `### ${place}\n\n${list(some.map(({ text }) => text))}`,
  );
  return [`## ${title}\n\n${lists.join('\n\n')}`];
}

function patchOf(before: Version, { version, yaml }: Version): string {
  const names = [`${before.version}.yaml`, `${version}.yaml`] as const;
  return createTwoFilesPatch(...names, before.yaml, yaml, '', '', { context: 3 }).replace(/^=+\n/, '');
}

function operationsOf({ yaml }: Version): string {
  const { paths = {} } = parseDocument(yaml) as { paths?: Record<string, Record<string, { summary?: string }>> };
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { summary }]) =>
      summary === undefined ? [] : [[`\`${method.toUpperCase()} ${path}\``, summary]],
    ),
  );
  return table(['Operation', 'Summary'], rows);
}

export function releasedVersions(): Version[] {
  return readdirSync(releasedFolder).map((name) => ({
    version: name.replace(/\.yaml$/, ''),
    yaml: readFileSync(join(releasedFolder, name), 'utf8'),
  }));
}
