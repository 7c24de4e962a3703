import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { describeFailure } from '../../../src/cli/errors.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { WorkerStartError } from '../../../src/runtime/workers/worker-pool.ts';
import { ConfigError } from '../../../src/runtime/config.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { CliHarness } from '../../support/cli.ts';

const withoutData = ['serve', 'completion', 'complete'];

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

describe('help', () => {
  test('explains the exit codes, the region and the data directory', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Exit codes:\n {2}0 {2}done\n {2}1 {2}refused or failed\n {2}2 {2}wrong usage/);
    expect(stdout).toContain('--region <region>');
    expect(stdout).toContain('--data-dir <directory>');
  });

  test('of every command describes it, gives an example and names the options that all share', async () => {
    const { stdout, stderr } = process;
    const program = await createProgram({
      environment: {},
      stdin: process.stdin,
      stdout,
      stderr,
      now: () => new Date(),
      kill: () => undefined,
    });
    const leaves = (command: Command, path: string[]): string[][] =>
      command.commands.length === 0
        ? [path]
        : command.commands.flatMap((inner) => leaves(inner, [...path, inner.name()]));
    const paths = leaves(program, []);
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths.filter(([name]) => name !== 'complete')) {
      const help = (await cli.run([...path, '--help'])).stdout;
      expect(help).toMatch(/^Usage: .*\n\n[A-Z][^]*?\.\n\n/);
      expect(help).toContain('--region <region>');
      if (!withoutData.includes(path[0] ?? '')) expect(help).toMatch(/--json[^]*Examples?:\n {2}\$ document-analysis /);
    }
  });

  test('lists all commands, while a call has only those that it may mean', async () => {
    const context = { ...process, environment: {}, now: () => new Date(), kill: () => undefined };
    const names = async (...words: string[]) =>
      (await createProgram(context, ['node', 'main.js', ...words])).commands.map((command) => command.name());
    const all = await names('--help');
    expect(await names()).toEqual(all);
    expect(await names('unknown')).toEqual(all);
    expect(await names('serve', '--help')).toEqual(all);
    expect(await names('--region', 'ca', 'audit', 'list')).toEqual(['audit']);
  });

  test('of a group without a command is wrong usage', async () => {
    for (const commandLine of [[], ['case']]) {
      const { exitCode, stdout, stderr } = await cli.run(commandLine);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage: document-analysis');
    }
  });

  test("--version tells the version of the API, which is also the package's", async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await cli.run(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('wrong usage', () => {
  test.each([
    [['organisatoin']],
    [['organisation', 'lits']],
    [['organisation', 'create']],
    [['organisation', 'list', 'too', 'many']],
    [['role', 'list', '--jsn']],
  ])('%j ends with 2 and a line that says why', async (commandLine) => {
    const { exitCode, stdout, stderr } = await cli.run(commandLine);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*\n([^]*\n)?Help: document-analysis[a-z ]* --help\n$/);
  });

  test('every mistake of the configuration is a line, and ends with 2', async () => {
    const environment = { PORT: 'http', LOG_LEVEL: 'loud' };
    const { exitCode, stdout, stderr } = await cli.run(['role', 'list', '--region', 'fr'], { environment });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'error: --region must be one of uk, ca, not "fr"',
      expect.stringMatching(/^error: LOG_LEVEL must be one of .*"loud"$/),
      'error: PORT must be a whole number from 0 to 65535, not "http"',
    ]);
  });
});

describe('a global option', () => {
  test('may stand before or after the command, and wins over the environment', async () => {
    await cli.run(['organisation', 'create', 'Ours', '--region', 'ca']);
    const environment = { REGION: 'uk' };
    expect(await cli.json(['--region', 'ca', 'organisation', 'list'], { environment })).toHaveLength(1);
    expect(await cli.json(['organisation', '--region', 'ca', 'list'], { environment })).toHaveLength(1);
    expect(await cli.json(['organisation', 'list'], { environment: { REGION: 'ca' } })).toHaveLength(1);
    expect(await cli.json(['organisation', 'list'], { environment })).toEqual([]);
  });
});

describe('where there is no data', () => {
  const commandLines = [
    ['organisation', 'list'],
    ['role', 'list'],
    ['credential', 'list'],
    ['case', 'list'],
  ];
  commandLines.push(
    ['audit', 'list'],
    ['registry', 'status'],
    ['analyse'],
    ['files', 'sweep'],
    ['case', 'show', 'any'],
  );

  test.each(commandLines)('%s %s says where it looked, and creates nothing', async (...commandLine) => {
    const folder = `${cli.folder}/elsewhere`;
    const { exitCode, stdout, stderr } = await cli.run([...commandLine, '--data-dir', folder]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(`error: No data of region uk in ${folder}: there is no document-analysis-uk.sqlite. `);
    expect(stderr).toContain('--data-dir');
    expect(existsSync(folder)).toBe(false);
  });

  test('of a region, it names the one that has some', async () => {
    const { exitCode, stderr } = await cli.run(['role', 'list', '--region', 'ca']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has data of region uk: add --region uk')]);
    expect(await readdir(`${cli.folder}/data`)).toEqual(['document-analysis-uk.sqlite']);
  });
});

describe('a failure', () => {
  test('to open the store is told in one line', async () => {
    const file = await cli.write('file', '');
    const { exitCode, stdout, stderr } = await cli.run(['demo', '--data-dir', file]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: The database .* cannot be opened: .*--data-dir.*\n$/);
  });

  test.each([
    ['a full disk is told', 'ENOSPC', 'error: ENOSPC: write\n'],
    ['a reader that has seen enough is not', 'EPIPE', ''],
  ])('to write the result ends with 1; %s', async (_name, code, told) => {
    const closed = new Writable({
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error(`${code}: write`), { code, syscall: 'write' }));
      },
    });
    const { exitCode, stderr } = await cli.run(['role', 'list'], { stdout: closed });
    expect([exitCode, stderr]).toEqual([1, told]);
  });

  test('that nobody expected is one line; its stack is for those who debug', async () => {
    const broken = () =>
      new Writable({
        write: () => {
          throw new Error('out of\nink');
        },
      });
    const run = (level: string) => cli.run(['role', 'list'], { stdout: broken(), environment: { LOG_LEVEL: level } });
    expect(await run('info')).toEqual({ exitCode: 1, stdout: '', stderr: 'unexpected error: out of ink\n' });
    for (const level of ['debug', 'trace'])
      expect((await run(level)).stderr).toMatch(/^unexpected error: out of ink\nError: out of\nink\n +at /);
  });

  test.each([
    [
      new StoreUnavailableError('The database x cannot be used: database is locked'),
      1,
      /^error: .* is locked\. .* Try/,
    ],
    [
      Object.assign(new StoreUnavailableError('The connection broke'), { outcomeUnknown: true }),
      1,
      /^error: The connection broke\. The change may or may not have been made: check before you repeat it\.\n$/,
    ],
    [new WorkerStartError(1, null), 1, /^error: A worker process ended before it served \(exit code 1\)\.\n$/],
    [new WorkerStartError(1, null, 'error: It cannot.\n'), 1, /^error: It cannot\.\n$/],
    [new WorkerStartError(null, 'SIGKILL'), 1, /^error: A worker process ended before it served \(SIGKILL\)\.\n$/],
    [new ConfigError('PORT is odd\nHOST is odd'), 2, /^error: PORT is odd\nerror: HOST is odd\n$/],
    [Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }), 1, /^error: EIO: i\/o error/],
    ['a text', 1, /^unexpected error: a text\n$/],
    [undefined, 1, /^unexpected error: undefined\n$/],
    [{ message: 'no stack' }, 1, /^unexpected error: no stack\n$/],
  ])('%p is described', (error, exitCode, text) => {
    const described = describeFailure(error, { LOG_LEVEL: 'debug' });
    expect(described.exitCode).toBe(exitCode);
    expect(described.text).toMatch(text);
  });
});

test('a command closes the store also when it fails', async () => {
  await cli.run(['case', 'show', 'nothing']);
  await cli.withStore(() => Promise.resolve());
  expect(await readdir(`${cli.folder}/data`)).toEqual(['document-analysis-uk.sqlite']);
});

test.each([
  ['--region', ['--region', 'ca'], {}],
  ['REGION', [], { REGION: 'ca' }],
])('each command that a hint names is for the region that %s chose', async (_, flags, environment) => {
  const hint = async (...words: string[]) => {
    const { stdout, stderr } = await cli.run([...words, ...flags], {
      environment: { DATA_DIR: cli.folder, ...environment },
    });
    return [...(stdout + stderr).matchAll(/document-analysis (.*)/g)].map(([, command]) => command);
  };
  expect(await hint('organisation', 'list')).toEqual(['--region ca demo']);
  await cli.run(['registry', 'import', 'nothing', '--region', 'ca'], { environment: { DATA_DIR: cli.folder } });
  expect(await hint('organisation', 'list')).toEqual(['--region ca organisation create NAME']);
  expect(await hint('credential', 'list')).toEqual(['--region ca credential issue --help']);
  expect(await hint('case', 'list')).toEqual(['--region ca case import --help']);
  expect(await hint('case', 'show', 'nothing')).toEqual(['--region ca case list']);
  expect(await hint('registry', 'status')).toEqual([
    '--region ca registry import --register uk-companies companies.csv',
    '--region ca registry import corporations-*-en.csv',
  ]);
});
