/** The project's changelog, for all of its users. */
export const changelogFile = 'CHANGELOG.md';

/** The contract's changelog, which the documentation shows. */
export const contractChangelogFile = 'openapi/CHANGELOG.md';

const unreleased = /^## Unreleased\b.*\n(?<entries>[^]*?)(?=^## |$(?![^]))/m;

export function hasUnreleased(changelog: string): boolean {
  return entriesOf(changelog) !== '';
}

/**
 * Moves the unreleased entries of a changelog under a version and its date, and adds an empty section for the next
 * release. Without entries, the version's section says so.
 */
export function releaseChangelog(changelog: string, version: string, date: Date): string {
  const entries = entriesOf(changelog) || 'No changes.';
  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`;
  return changelog.replace(unreleased, () => `## Unreleased\n\n${heading}\n\n${entries}\n\n`).trimEnd() + '\n';
}

function entriesOf(changelog: string): string {
  return unreleased.exec(changelog)?.groups?.['entries']?.trim() ?? '';
}

/** The entries of a changelog under a released version; empty if there are none. */
export function entriesOfVersion(changelog: string, version: string): string {
  const [, section = ''] = changelog.split(`\n## ${version} - `);
  return section.replace(/^.*\n/, '').split(/^## /m)[0]?.trim() ?? '';
}
