import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { runIn } from '../../scripts/release/run.ts';
import type { CliOutcome } from './cli.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** What a release needs of the project, beside its dependencies. */
const parts = [
  ...['client', 'contract', 'openapi', 'generated', 'scripts', 'src', 'test/contract', 'package.json'],
  ...['package-lock.json', 'redocly.yaml', '.gitignore'],
];

const changelog = '# Changelog\n\n## Unreleased (0.0.1)\n\n- The first entry.\n';

/** The first commit. */
const created = 'refs/created';

/** A copy of this project in a Git repository of its own, in which nothing is released yet. */
export async function createReleaseRepository() {
  const root = await makeTemporaryFolder();
  const run = runIn(root);
  const read = (file: string) => readFile(join(root, file), 'utf8');
  const write = (file: string, text: string) => writeFile(join(root, file), text);
  const edit = async (file: string, change: (text: string) => string) => write(file, change(await read(file)));
  const commit = async (message: string) => {
    await run('git', 'add', '--all');
    await run('git', 'commit', '--quiet', '--allow-empty', '--message', message);
  };
  // What Git ignores may come and go meanwhile, as the folder in which the site is rendered.
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...parts];
  const listed = await runIn('.')('git', ...listing);
  for (const file of listed.split('\0').filter((name) => existsSync(name) && basename(dirname(name)) !== 'released'))
    await cp(file, join(root, file));
  for (const folder of ['.', 'scripts'])
    await symlink(resolve(folder, 'node_modules'), join(root, folder, 'node_modules'));
  for (const file of ['CHANGELOG.md', 'openapi/CHANGELOG.md']) await write(file, changelog);
  // A symbolic link is no folder, so that the pattern of .gitignore does not take it.
  await edit('.gitignore', (text) => `${text}node_modules\n`);
  await edit('openapi/openapi.yaml', (text) => text.replace(/^ {2}version: .*$/m, '  version: 0.0.1'));
  for (const file of ['generated/openapi.json', 'contract/generated/openapi.json'])
    await edit(file, (text) => text.replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
  await run('git', 'init', '--quiet', '--initial-branch', 'main');
  await run('git', 'config', 'user.name', 'A Maintainer');
  await run('git', 'config', 'user.email', 'maintainer@document-analysis.example');
  for (const key of ['commit.gpgSign', 'tag.gpgSign']) await run('git', 'config', key, 'false');
  await commit('feat: the beginning');
  await run('git', 'update-ref', created, 'HEAD');
  return {
    ...{ root, run, read, write, edit, commit },
    /** Adds the contract to the released ones as it is now, as a release does, without its other steps. */
    releaseContract: async (version: string) => {
      await edit('openapi/openapi.yaml', (text) => text.replace(/^ {2}version: .*$/m, `  version: ${version}`));
      await cp(join(root, 'openapi/openapi.yaml'), join(root, `openapi/released/${version}.yaml`));
      await commit(`chore(release): ${version}`);
    },
    /** Runs a script of this project in the repository, or in a folder below it. */
    script: (name: string, args: readonly string[] = [], folder = '') => {
      const command = ['--no-warnings', resolve(`scripts/${name}.ts`), ...args];
      return new Promise<CliOutcome>((done) => {
        execFile(process.execPath, command, { cwd: join(root, folder) }, (error, stdout, stderr) => {
          done({ exitCode: Number(error?.code ?? 0), stdout, stderr });
        });
      });
    },
    /** The commit, everything in the working tree that differs from it, and the tags. */
    state: async () => {
      const asked = [
        ['rev-parse', 'HEAD'],
        ['status', '--porcelain'],
        ['tag', '--list'],
      ];
      return (await Promise.all(asked.map((args) => run('git', ...args)))).join('\n');
    },
    /** Puts everything back as it was created: commits, branches, tags, hooks and files. */
    reset: async () => {
      for (const hook of await readdir(join(root, '.git/hooks'))) await rm(join(root, '.git/hooks', hook));
      await run('git', 'switch', '--quiet', '--force-create', 'main', '--discard-changes', created);
      await run('git', 'clean', '--quiet', '-ffdx', '--exclude=node_modules');
      const refs = await run('git', 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags');
      for (const ref of refs.split('\n').filter((name) => name !== 'refs/heads/main'))
        await run('git', 'update-ref', '-d', ref);
    },
  };
}
