/** Where the changes since the last release are listed. */
export const changelogFile = 'CHANGELOG.md';

const unreleased = /^## Unreleased\b.*\n(?<entries>[^]*?)(?=^## |$(?![^]))/m;

/**
 * Gives the changelog with its unreleased entries under a version and its date, and an empty section for the next.
 * @throws {Error} if nothing is listed
 */
export function releaseChangelog(changelog: string, version: string, date: Date): string {
  const entries = unreleased.exec(changelog)?.groups?.['entries']?.trim() ?? '';
  if (entries === '')
    throw new Error(`${changelogFile} lists nothing under "## Unreleased": tell there what users get.`);
  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`;
  return changelog.replace(unreleased, () => `## Unreleased\n\n${heading}\n\n${entries}\n\n`).trimEnd() + '\n';
}
