/** Where the changes since the last release are listed, for users of all of the project. */
export const changelogFile = 'CHANGELOG.md';

/** Where those of the contract are, for its readers; the documentation shows it. */
export const contractChangelogFile = 'openapi/CHANGELOG.md';

const unreleased = /^## Unreleased\b.*\n(?<entries>[^]*?)(?=^## |$(?![^]))/m;

/** Whether a changelog lists unreleased entries. */
export function hasUnreleased(changelog: string): boolean {
  return entriesOf(changelog) !== '';
}

/**
 * Gives a changelog with its unreleased entries under a version and its date, and an empty section for the next. One that
 * has none says so.
 */
export function releaseChangelog(changelog: string, version: string, date: Date): string {
  const entries = entriesOf(changelog) || 'No changes.';
  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`;
  return changelog.replace(unreleased, () => `## Unreleased\n\n${heading}\n\n${entries}\n\n`).trimEnd() + '\n';
}

function entriesOf(changelog: string): string {
  return unreleased.exec(changelog)?.groups?.['entries']?.trim() ?? '';
}
