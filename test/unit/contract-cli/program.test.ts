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

const [mock, target] = [['mock'], ['proxy', '--target']];
const notBase = '--target must be a base address such as https://api.example.com';
const openapi = 'test/contract-suite/documents/bikes/openapi.yaml';
test.each<[commandLine: string[], message: string, environment?: NodeJS.ProcessEnv]>([
  [['mcok'], 'For the options, add --help.\n'],
  [['mock', 'too', 'many'], 'For the options, add --help.\n'],
  [[...target, 'http://a', '--jsn'], 'For the options, add --help.\n'],
  [[...mock, '--port', 'x'], 'It must be a whole number from 0 to 65535.'],
  [mock, 'PORT must be a whole number from 0 to 65535, not "x"', { PORT: 'x' }],
  [mock, 'PORT must be a whole number from 0 to 65535, not "65536"', { PORT: '65536' }],
  [[...mock, '--openapi', 'no-such.yaml'], 'no-such.yaml'],
  [[...mock, '--cors', 'localhost:5173'], 'It must be an origin such as http://localhost:5173, or *.'],
  [[...mock, '--cors', 'http://localhost:5173/app'], 'or *: write http://localhost:5173.'],
  [['proxy'], "error: required option '--target <url>' not specified"],
  [[...target, 'ftp://a'], notBase],
  [[...target, 'http://user:secret@a'], notBase],
  [[...target, 'http://a', '--case-target', 'a'], '--case-target must be a base address'],
  [[...target, 'http://a', '--port', 'x'], 'It must be a whole number from 0 to 65535.'],
  [['check'], 'error: --url and --credentials are required: they name the server to check\n'],
  [['check', '--openapi', openapi], 'error: --url is required: it names the server to check\n'],
])('wrong usage: %j ends with 2 and says why: %s', async (commandLine, message, environment = {}) => {
  const { exitCode, stdout, stderr } = await new ContractCommand(commandLine, environment).ended;
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('secret');
});
