import { afterEach, expect, test } from '@jest/globals';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createReleaseRepository } from '../support/release-repository.ts';

const contract = 'openapi/openapi.yaml';

const repository = await createReleaseRepository();
afterEach(() => repository.reset());

const release = (...args: string[]) => repository.script('release', args);

test('a first release is a commit and an annotated tag that hold the released contract', async () => {
  expect(await release('0.0.1')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await repository.run('git', 'log', '-1', '--format=%s %D')).toBe(
    'chore(release): 0.0.1 HEAD -> main, tag: v0.0.1',
  );
  expect(await repository.run('git', 'cat-file', '-t', 'v0.0.1')).toBe('tag');
  expect(await repository.run('git', 'status', '--porcelain')).toBe('');
  expect(await repository.read('openapi/released/0.0.1.yaml')).toBe(await repository.read(contract));
  expect((await repository.script('diff-contract')).stdout).toContain('The contract is the released one.');
});

test('the next release has its version everywhere, and its changes in the changelog', async () => {
  await repository.releaseContract('0.0.1');
  const entries = '## 0.0.1 - 2026-01-01\n\n- All.\n';
  for (const file of ['CHANGELOG.md', 'openapi/CHANGELOG.md'])
    await repository.write(file, `# Changelog\n\n## Unreleased\n\n- Shorter labels.\n\n${entries}`);
  await repository.edit(contract, (text) => text.replace('maxLength: 255', 'maxLength: 200'));
  await repository.run('npm', 'run', '--silent', 'generate');
  await repository.commit('feat: change the contract');
  expect(await release('v0.0.2')).toMatchObject({ exitCode: 0, stderr: '' });
  const today = new Date().toISOString().slice(0, 10);
  for (const file of ['CHANGELOG.md', 'openapi/CHANGELOG.md'])
    expect(await repository.read(file)).toBe(
      `# Changelog\n\n## Unreleased\n\n## 0.0.2 - ${today}\n\n- Shorter labels.\n\n${entries}`,
    );
  for (const file of [contract, 'openapi/released/0.0.2.yaml'])
    expect(await repository.read(file)).toContain('\n  version: 0.0.2\n');
  const packages = ['package.json', 'package-lock.json', 'contract/package.json', 'client/package.json'];
  for (const file of [...packages, 'generated/openapi.json'])
    expect(await repository.read(file)).toContain('"version": "0.0.2",\n');
  expect(await repository.read('package-lock.json')).not.toContain('"resolved": "http');
  expect(await repository.read('openapi/released/0.0.1.yaml')).toContain('maxLength: 255');
});

test('a release that is wrong is refused, and nothing is changed', async () => {
  await repository.releaseContract('0.0.1');
  const refused = async (version: string) => {
    const before = await repository.state();
    const { exitCode, stdout, stderr } = await release(version);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(await repository.state()).toBe(before);
    return stderr;
  };
  expect(await refused('0.0.1')).toContain('0.0.1 is not higher than 0.0.1, which is released already.');

  await repository.edit(contract, (text) => text.replace('operationId: getCase', 'operationId: readCase'));
  expect(await refused('0.1.0')).toMatch(/The working tree is not clean.*\n M openapi\/openapi.yaml/);
  await repository.commit('feat!: another name');
  expect(await refused('0.0.2')).toContain('0.0.2 is too low for changes that break clients: it must be 0.1.0');
  expect(await refused('0.1.0')).toContain('What is generated does not follow from openapi/openapi.yaml');

  for (const file of ['CHANGELOG.md', 'openapi/CHANGELOG.md'])
    await repository.edit(file, (text) => text.replace('- The first entry.\n', ''));
  await repository.run('git', 'tag', 'v0.1.0');
  await repository.run('git', 'switch', '--quiet', '--create', 'other');
  await repository.commit('docs: tell nothing');
  const several = await refused('0.1.0');
  expect(several).toContain('error: CHANGELOG.md lists nothing under "## Unreleased"');
  expect(several).toContain('error: openapi/CHANGELOG.md lists nothing under "## Unreleased"');
  expect(several).toContain('The tag v0.1.0 exists already.');
  expect(several).toContain('The branch is other: a release is made on main.');

  await repository.run('git', 'switch', '--quiet', 'main');
  await repository.edit('openapi/released/0.0.1.yaml', (text) => `${text}\n`);
  await repository.commit('docs: edit what is released');
  expect(await refused('0.2.0')).toContain('openapi/released/0.0.1.yaml was edited since its release.');
});

test('a document with a fault is refused with the fault', async () => {
  await repository.edit(contract, (text) => text.replace('summary: Read a case and its files', 'summary: 3'));
  await repository.commit('docs: a number is no summary');
  const before = await repository.state();
  const { exitCode, stderr } = await release('0.0.1');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Expected type `string` but got `integer`');
  expect(await repository.state()).toBe(before);
});

test('--dry-run takes no step; when one fails or is interrupted, all are taken back', async () => {
  const hook = '.git/hooks/pre-commit';
  await repository.write(hook, '#!/bin/sh\necho the hook refuses\nexit 1\n');
  await chmod(join(repository.root, hook), 0o755);
  const before = await repository.state();
  const dry = await release('0.0.1', '--dry-run');
  expect(dry.exitCode).toBe(0);
  expect(dry.stdout).toMatch(/^would set info\.version(.*\n)+would tag it as v0\.0\.1\n$/);
  expect(await repository.state()).toBe(before);

  const { exitCode, stderr } = await release('0.0.1');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/the hook refuses\nAll steps were undone; nothing has changed.\n$/);
  expect(await repository.state()).toBe(before);

  // Git, whose hook this is, was started by the release.
  await repository.write(hook, '#!/bin/sh\nkill -s INT "$(ps -o ppid= -p "$PPID")"\n');
  expect(await release('0.0.1')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^error: ended early by SIGINT\nAll steps were undone/),
  });
  expect(await repository.state()).toBe(before);
  expect(await repository.read('CHANGELOG.md')).toContain('## Unreleased (0.0.1)');
});

test.each(['1.2', '1.2.3-rc.1', 'latest', ''])('"%s" is no version to release: wrong usage', async (version) => {
  const { exitCode, stderr } = await release(version);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('It must be three numbers, as in 0.0.2.');
});
