/**
 * The entries of a changelog under a released version.
 * @throws {Error} if there are none
 */
export function entriesOfVersion(changelog: string, version: string): string {
  const heading = `\n## ${version} - `;
  const [, section = ''] = changelog.split(heading);
  const entries = section.replace(/^.*\n/, '').split(/^## /m)[0]?.trim() ?? '';
  if (entries === '') throw new Error(`The changelog lists nothing under ${version}.`);
  return entries;
}
