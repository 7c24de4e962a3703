/**
 * What a changelog lists under a released version.
 * @throws {Error} if it lists nothing
 */
export function entriesOfVersion(changelog: string, version: string): string {
  const heading = `\n## ${version} - `;
  const [, section = ''] = changelog.split(heading);
  const entries = section.replace(/^.*\n/, '').split(/^## /m)[0]?.trim() ?? '';
  if (entries === '') throw new Error(`The changelog lists nothing under ${version}.`);
  return entries;
}
