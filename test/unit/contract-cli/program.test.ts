import { describe, expect, test } from '@jest/globals';
import { program } from '../../../contract/cli/program.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { ContractCommand } from '../../support/contract.ts';

const run = (...commandLine: string[]) => new ContractCommand(commandLine).ended;

describe('help', () => {
  const { stdout, stderr } = process;
  const context = { stdout, stderr, environment: {}, signal: new AbortController().signal };
  const names = program(context, () => undefined).commands.map((command) => command.name());

  test('lists the commands', async () => {
    expect(names).toEqual(['check', 'mock', 'proxy']);
    const { exitCode, stdout, stderr } = await run('--help');
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  test('and the version, which is that of the document', async () => {
    expect(await run('--version')).toMatchObject({ exitCode: 0, stdout: `${ownDocument.version}\n` });
  });

  test.each(names)('of %s describes it and gives an example', async (name) => {
    const { exitCode, stdout, stderr } = await run(name, '--help');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: .*\n\n[A-Z][^]*?\.\n\n/);
    expect(stdout).toMatch(/--openapi <file>[^]*Examples?:\n {2}\$ document-analysis-contract /);
  });
});

test.each([[['mcok']], [['mock', 'too', 'many']], [['proxy', '--target', 'http://a', '--jsn']]])(
  'wrong usage: %j ends with 2 and a line that says why',
  async (commandLine) => {
    const { exitCode, stdout, stderr } = await run(...commandLine);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*\n([^]*\n)?For the options, add --help\.\n$/);
  },
);

test('wrong usage of check without a server to check', async () => {
  const { exitCode, stderr } = await run('check');
  expect(exitCode).toBe(2);
  expect(stderr).toBe('error: --url and --credentials are required: they name the server to check\n');
  const ofAnother = await run('check', '--openapi', 'test/contract-suite/documents/bikes/openapi.yaml');
  expect(ofAnother.exitCode).toBe(2);
  expect(ofAnother.stderr).toBe('error: --url is required: it names the server to check\n');
});
