import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The address of the project's repository: that of the workflow that builds it, else that of package.json, if any. */
export function repositoryAddress(
  root: string,
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (server !== undefined && name !== undefined) return `${server}/${name}`;
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository?: string | { url: string };
  };
  const url = typeof repository === 'object' ? repository.url : repository;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}
