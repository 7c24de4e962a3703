import { afterEach, expect, test } from '@jest/globals';
import { runIn } from '../../scripts/release/run.ts';
import { createReleaseRepository } from '../support/release-repository.ts';

const contract = 'openapi/openapi.yaml';
const released = 'openapi/released/0.0.1.yaml';
const breakIt = (text: string) => text.replace('operationId: getCase', 'operationId: readCase');
const announce = (text: string) => text.replace('  version: 0.0.1', '  version: 0.1.0');

const repository = await createReleaseRepository();
afterEach(() => repository.reset());

const diff = (...args: string[]) => repository.script('diff-contract', args);
const recut = () => repository.script('recut-contract');

test('before the first release there is nothing to break', async () => {
  expect(await diff()).toEqual({
    exitCode: 0,
    stdout: 'No contract is released yet, so there is none to break.\n',
    stderr: '',
  });
});

test('a breaking change fails until the version announces it, and --json prints the verdict as one document', async () => {
  await repository.releaseContract('0.0.1');
  expect(await diff()).toMatchObject({ exitCode: 0, stderr: '' });

  await repository.edit(contract, breakIt);
  const { exitCode, stdout } = await diff();
  expect(exitCode).toBe(1);
  expect(stdout).toContain('Breaking changes (1)\n  GET /cases/{id}\n    - ');
  expect(stdout).toContain('set info.version in openapi/openapi.yaml to 0.1.0 or higher.');

  const json = await diff('--json');
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ released: '0.0.1', version: '0.0.1', kind: 'breaking', lowestVersion: '0.1.0', announced: false },
    changes: [{ severity: 'breaking', where: 'GET /cases/{id}' }],
  });

  await repository.edit(contract, announce);
  const announced = await diff();
  expect(announced.exitCode).toBe(0);
  expect(announced.stdout).toContain('The version 0.1.0 announces the breaking changes.');
});

test('what is compatible needs no announcement, and the output says as what it can be released', async () => {
  await repository.releaseContract('0.0.1');
  await repository.edit(contract, (text) =>
    text.replace('    FileSummary:\n', '    Unused: { type: string }\n    FileSummary:\n'),
  );
  await repository.edit(contract, (text) => text.replace('maxLength: 255', 'maxLength: 200'));
  const { exitCode, stdout } = await diff();
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Compatible changes (1)');
  expect(stdout).toContain('Nothing breaks a client. It can be released as 0.0.2 or higher.');
});

test('a released contract that was edited or removed is refused, committed or not', async () => {
  await repository.releaseContract('0.0.1');
  await repository.edit(released, (text) => text.replace('UK region', 'The UK region'));
  const edited = await diff();
  expect(edited).toMatchObject({ exitCode: 1, stdout: '' });
  expect(edited.stderr).toContain(`${released} was edited since its release. Put it back with: git checkout `);
  await repository.commit('docs: put the released contract right');
  expect(await diff()).toEqual(edited);

  await repository.run('git', 'rm', '--quiet', released);
  await repository.commit('refactor: take the released contract away');
  const removed = await diff();
  expect(removed.exitCode).toBe(1);
  expect(removed.stderr).toContain(`${released} is gone.`);
});

test('a released contract is replaced by one command, as long as its version is not published', async () => {
  await repository.releaseContract('0.0.1');
  await repository.edit(contract, breakIt);
  await repository.run('npm', 'run', '--silent', 'generate');
  expect((await recut()).stderr).toBe('error: The working tree is not clean: commit what it holds first.\n');
  await repository.commit('feat!: break it');
  expect((await diff()).exitCode).toBe(1);

  await repository.run('git', 'tag', 'v0.0.1');
  expect((await recut()).stderr).toContain('0.0.1 is published: the tag v0.0.1 exists.');
  await repository.run('git', 'tag', '--delete', 'v0.0.1');

  expect(await recut()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await repository.run('git', 'log', '-1', '--format=%s')).toBe('chore(release): cut 0.0.1 anew');
  expect((await diff()).stdout).toContain('The contract is the released one.');
  expect((await recut()).stdout).toBe(`${released} is the contract already.\n`);

  await repository.edit(released, (text) => `${text}\n`);
  await repository.commit('chore: edit it by hand');
  expect((await diff()).stderr).toContain(`${released} was edited since its release.`);
});

test('a file that is not named after its version, and a version that went down, are refused', async () => {
  await repository.releaseContract('0.2.0');
  await repository.edit(contract, (text) => text.replace('version: 0.2.0', 'version: 0.1.9'));
  expect((await diff()).stderr).toBe(
    'error: info.version of openapi/openapi.yaml is 0.1.9, and 0.2.0 is released already.\n',
  );
  await repository.write('openapi/released/0.3.0.yaml', await repository.read('openapi/released/0.2.0.yaml'));
  expect((await diff()).stderr).toBe('error: openapi/released/0.3.0.yaml is not named after its version, 0.2.0.\n');
});

test('in a shallow clone it says that edits of released contracts cannot be seen, and judges the rest', async () => {
  await repository.releaseContract('0.0.1');
  await repository.commit('chore: something else');
  const shallow = `${repository.root}/shallow`;
  await runIn(repository.root)('git', 'clone', '--quiet', '--depth', '1', `file://${repository.root}`, shallow);
  const { exitCode, stdout } = await repository.script('diff-contract', [], 'shallow');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Not checked: whether a released contract was edited, as the clone is shallow');
});
