import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Run, runIn } from '../../scripts/release/run.ts';
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
export class ReleaseRepository {
  readonly root: string;
  readonly run: Run;

  private constructor(root: string) {
    this.root = root;
    this.run = runIn(root);
  }

  static async create(): Promise<ReleaseRepository> {
    const root = await makeTemporaryFolder();
    // What Git ignores may come and go meanwhile, as the folder in which the site is rendered.
    const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...parts];
    const listed = await runIn('.')('git', ...listing);
    for (const file of listed.split('\0').filter((name) => existsSync(name) && basename(dirname(name)) !== 'released'))
      await cp(file, join(root, file));
    for (const folder of ['.', 'scripts'])
      await symlink(resolve(folder, 'node_modules'), join(root, folder, 'node_modules'));
    const repository = new ReleaseRepository(root);
    for (const file of ['CHANGELOG.md', 'openapi/CHANGELOG.md']) await repository.write(file, changelog);
    // A symbolic link is no folder, so that the pattern of .gitignore does not take it.
    await repository.edit('.gitignore', (text) => `${text}node_modules\n`);
    await repository.edit('openapi/openapi.yaml', (text) => text.replace(/^ {2}version: .*$/m, '  version: 0.0.1'));
    for (const file of ['generated/openapi.json', 'contract/generated/openapi.json'])
      await repository.edit(file, (text) => text.replace(/"version": "[^"]*"/, '"version": "0.0.1"'));
    await repository.run('git', 'init', '--quiet', '--initial-branch', 'main');
    await repository.run('git', 'config', 'user.name', 'A Maintainer');
    await repository.run('git', 'config', 'user.email', 'maintainer@document-analysis.example');
    for (const key of ['commit.gpgSign', 'tag.gpgSign']) await repository.run('git', 'config', key, 'false');
    await repository.commit('feat: the beginning');
    await repository.run('git', 'update-ref', created, 'HEAD');
    return repository;
  }

  /** Adds the contract to the released ones as it is now, as a release does, without its other steps. */
  async releaseContract(version: string): Promise<void> {
    await this.edit('openapi/openapi.yaml', (text) => text.replace(/^ {2}version: .*$/m, `  version: ${version}`));
    await cp(join(this.root, 'openapi/openapi.yaml'), join(this.root, `openapi/released/${version}.yaml`));
    await this.commit(`chore(release): ${version}`);
  }

  async read(file: string): Promise<string> {
    return readFile(join(this.root, file), 'utf8');
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.root, file), text);
  }

  async edit(file: string, change: (text: string) => string): Promise<void> {
    await this.write(file, change(await this.read(file)));
  }

  async commit(message: string): Promise<void> {
    await this.run('git', 'add', '--all');
    await this.run('git', 'commit', '--quiet', '--allow-empty', '--message', message);
  }

  /** Runs a script of this project in the repository, or in a folder below it. */
  script(name: string, args: readonly string[] = [], folder = ''): Promise<CliOutcome> {
    const command = ['--no-warnings', resolve(`scripts/${name}.ts`), ...args];
    return new Promise((done) => {
      execFile(process.execPath, command, { cwd: join(this.root, folder) }, (error, stdout, stderr) => {
        done({ exitCode: Number(error?.code ?? 0), stdout, stderr });
      });
    });
  }

  /** The commit, and everything in the working tree that differs from it. */
  async state(): Promise<string> {
    const [commit, status, tags] = await Promise.all([
      this.run('git', 'rev-parse', 'HEAD'),
      this.run('git', 'status', '--porcelain'),
      this.run('git', 'tag', '--list'),
    ]);
    return `${commit}\n${status}\n${tags}`;
  }

  /** Puts everything back as it was created: commits, branches, tags, hooks and files. */
  async reset(): Promise<void> {
    for (const hook of await readdir(join(this.root, '.git/hooks'))) await rm(join(this.root, '.git/hooks', hook));
    await this.run('git', 'switch', '--quiet', '--force-create', 'main', '--discard-changes', created);
    await this.run('git', 'clean', '--quiet', '-ffdx', '--exclude=node_modules');
    const refs = await this.run('git', 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/tags');
    for (const ref of refs.split('\n').filter((name) => name !== 'refs/heads/main'))
      await this.run('git', 'update-ref', '-d', ref);
  }
}
