import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { describeFailure } from '../../../src/cli/errors.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { ConfigError } from '../../../src/runtime/config.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { unknown } from '../../store/conformance/fixtures.ts';
import { CliHarness } from '../../support/cli.ts';

const withoutData = ['serve', 'completion', 'complete'];

const cli = CliHarness.forEachTest();
const context = { ...process, environment: {}, now: () => new Date(), kill: () => undefined };

describe('help', () => {
  test("explains the exit codes, the region and the data directory, and the version is that of the API and the package's", async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await cli.text('--version')).toBe(`${version}\n`);
    const help = await cli.text('--help');
    expect(help).toMatch(/Exit codes:\n {2}0 {2}done\n {2}1 {2}refused or failed\n {2}2 {2}wrong usage/);
    for (const option of ['--region <region>', '--data-dir <directory>']) expect(help).toContain(option);
  });

  test('of every command describes it, gives an example and names the options that all share', async () => {
    const leaves = ({ commands }: Command, path: string[]): string[][] =>
      commands.length === 0 ? [path] : commands.flatMap((inner) => leaves(inner, [...path, inner.name()]));
    const paths = leaves(await createProgram(context), []);
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths.filter(([name]) => name !== 'complete')) {
      const help = await cli.text([...path, '--help']);
      expect(help).toMatch(/^Usage: .*\n\n[A-Z][^]*?\.\n\n/);
      expect(help).toContain('--region <region>');
      if (!withoutData.includes(path[0] ?? '')) expect(help).toMatch(/--json[^]*Examples?:\n {2}\$ document-analysis /);
    }
  });

  test('lists all commands, while a call has only those that it may mean; a group alone is wrong usage', async () => {
    const names = async (...words: string[]) =>
      (await createProgram(context, ['node', 'main.js', ...words])).commands.map((command) => command.name());
    const all = await names('--help');
    for (const words of [[], ['unknown'], ['serve', '--help']]) expect(await names(...words)).toEqual(all);
    expect(await names('--region', 'ca', 'audit', 'list')).toEqual(['audit']);
    for (const group of [[], ['case']]) expect(await cli.fails(2, group)).toContain('Usage: document-analysis');
  });
});

test.each([
  ...['organisatoin', 'organisation lits', 'organisation create', 'organisation list too many', 'role list --jsn'],
  ...[`organisation feature ${unknown} verification maybe`, 'completion csh', 'case import -'],
])('wrong usage: %s ends with 2 and a line that says why', async (commandLine) => {
  expect(await cli.fails(2, commandLine)).toMatch(/^error: .*\n([^]*\n)?Help: document-analysis[a-z ]* --help\n$/);
});

test('wrong usage every mistake of the configuration is a line, and ends with 2', async () => {
  const files = { REDIS_URL_FILE: '/no/such/file', COMPANY_REGISTRY_KEY: 'key' };
  const environment = { PORT: 'http', LOG_LEVEL: 'loud', HOST: '', ...files };
  expect((await cli.fails(2, 'role list --region fr', { environment })).split('\n').sort()).toEqual([
    '',
    'error: --region must be one of uk, ca, not "fr"',
    expect.stringMatching(/^error: COMPANY_REGISTRY_KEY contradicts COMPANY_REGISTRY=local: /),
    'error: HOST must not be empty',
    expect.stringMatching(/^error: LOG_LEVEL must be one of .*"loud"$/),
    'error: PORT must be a whole number from 0 to 65535, not "http"',
    expect.stringMatching(/^error: REDIS_URL_FILE names a file that cannot be read: ENOENT/),
  ]);
});

describe('what does not exist is refused with the command that lists what does:', () => {
  const kinds = { organisation: 'organisation list', case: 'case list', credential: 'credential list' };

  test.each<[kind: keyof typeof kinds, command: string]>([
    ['organisation', `organisation feature ${unknown} verification on`],
    ['organisation', `credential issue ${unknown} --kind access-token`],
    ['organisation', `credential list ${unknown}`],
    ['organisation', `case list --organisation ${unknown}`],
    ['organisation', `case import - --organisation ${unknown}`],
    ['organisation', `audit list --organisation ${unknown}`],
    ['case', `case show ${unknown}`],
    ['case', `case lock ${unknown}`],
    ['case', `case unlock ${unknown}`],
    ['case', `file add ${unknown} /no/such/file`],
    ['case', `file expect ${unknown} a.pdf`],
    ['credential', `credential rotate ${unknown}`],
    ['credential', `credential revoke ${unknown}`],
  ])('%s: %s', async (kind, command) => {
    const told = await cli.fails(1, command, { stdin: '[]' });
    expect(told).toBe(`error: There is no ${kind} ${unknown}. To see what exists: document-analysis ${kinds[kind]}\n`);
  });

  test.each([
    ['role boss', 'role list', 'role grant boss organisation_settings:write'],
    ['role boss', 'role list', 'role revoke boss organisation_settings:write'],
    ['role boss', 'role list', 'credential issue ORGANISATION --kind api-key --role boss'],
    [`file ${unknown}`, 'case show CASE', `file add --for ${unknown} /no/such/file`],
    [`file ${unknown}`, 'case show CASE', `analysis show ${unknown}`],
  ])('%s: document-analysis %s: %s', async (what, lists, command) => {
    const told = await cli.fails(1, command.replace('ORGANISATION', await cli.addOrganisation()));
    expect(told).toMatch(new RegExp(`^error: There is no ${what}\\. .*document-analysis ${lists}.*\n$`));
  });
});

test('a global option may stand before or after the command, and wins over the environment', async () => {
  await cli.text('organisation create Ours --region ca');
  const environment = { REGION: 'uk' };
  expect(await cli.json('--region ca organisation list', { environment })).toHaveLength(1);
  expect(await cli.json('organisation --region ca list', { environment })).toHaveLength(1);
  expect(await cli.json('organisation list', { environment: { REGION: 'ca' } })).toHaveLength(1);
  expect(await cli.json('organisation list', { environment })).toEqual([]);
});

describe('where there is no data', () => {
  test.each([
    ...['organisation list', 'role list', 'credential list', 'case list', 'audit list', 'registry status', 'analyse'],
    ...['files sweep', 'case show any'],
  ])('%s says where it looked, and creates nothing', async (commandLine) => {
    const folder = `${cli.folder}/elsewhere`;
    const told = await cli.fails(1, `${commandLine} --data-dir ${folder}`);
    expect(told).toMatch(`error: No data of region uk in ${folder}: there is no document-analysis-uk.sqlite. `);
    expect(told).toContain('--data-dir');
    expect(existsSync(folder)).toBe(false);
  });

  test('of a region, it names the one that has some; the store is closed also when a command fails', async () => {
    expect(await cli.fails(1, 'role list --region ca')).toContain('has data of region uk: add --region uk');
    await cli.run('case show nothing');
    await cli.withStore(() => Promise.resolve());
    expect(await readdir(`${cli.folder}/data`)).toEqual(['document-analysis-uk.sqlite']);
  });

  test.each([
    ['organisation list', 'No organisations', 'Create one: document-analysis organisation create NAME'],
    ['case list', 'No cases', 'Import some: document-analysis case import --help'],
    ['audit list', 'No audit entries yet', undefined],
  ])('of a kind, %s says where it looked, and how to make some', async (command, none, hint) => {
    const told = `${none} in ${cli.databasePath}.${hint === undefined ? '' : ` ${hint}`}\n`;
    expect(await cli.text(command)).toBe(told);
  });
});

describe('a failure', () => {
  test('to open the store is told in one line', async () => {
    const told = await cli.fails(1, `demo --data-dir ${await cli.write('file', '')}`);
    expect(told).toMatch(/^error: The database .* cannot be opened: .*--data-dir.*\n$/);
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
    expect(await cli.fails(1, 'role list', { stdout: closed })).toBe(told);
  });

  test('that nobody expected is one line; its stack is for those who debug', async () => {
    const broken = () =>
      new Writable({
        write: () => {
          throw new Error('out of\nink');
        },
      });
    const run = (level: string) => cli.fails(1, 'role list', { stdout: broken(), environment: { LOG_LEVEL: level } });
    expect(await run('info')).toBe('unexpected error: out of ink\n');
    for (const level of ['debug', 'trace'])
      expect(await run(level)).toMatch(/^unexpected error: out of ink\nError: out of\nink\n +at /);
  });

  test.each([
    [new StoreUnavailableError('The database x cannot be used: it is locked'), 1, /^error: .* is locked\. .* Try/],
    [
      Object.assign(new StoreUnavailableError('The connection broke'), { outcomeUnknown: true }),
      1,
      /^error: The connection broke\. The change may or may not have been made: check before you repeat it\.\n$/,
    ],
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

test.each([
  ['--region', ['--region', 'ca'], {}],
  ['REGION', [], { REGION: 'ca' }],
])('each command that a hint names is for the region that %s chose', async (_, flags, chosen) => {
  const environment = { DATA_DIR: cli.folder };
  const options = { environment: { ...environment, ...chosen } };
  const hints = async (command: string) => {
    const { stdout, stderr } = await cli.run([...command.split(' '), ...flags], options);
    return [...(stdout + stderr).matchAll(/document-analysis (.*)/g)].map(([, hint]) => hint);
  };
  expect(await hints('organisation list')).toEqual(['--region ca demo']);
  await cli.run('registry import nothing --region ca', { environment });
  const imports = ['registry import --register uk-companies companies.csv', 'registry import corporations-*-en.csv'];
  for (const [command, ...expected] of [
    ['organisation list', 'organisation create NAME'],
    ['credential list', 'credential issue --help'],
    ['case list', 'case import --help'],
    ['case show nothing', 'case list'],
    ['registry status', ...imports],
  ] as const)
    expect(await hints(command)).toEqual(expected.map((hint) => `--region ca ${hint}`));
});

const completing = await CliHarness.start();

const filesFor = (words: string): [string, string] => [words, ':files'];
test.each<[words: string, offered: string]>([
  ['ser', 'serve'],
  ['mo', ''],
  ['organisation ', 'create list feature help'],
  ['--region ca organisation l', 'list'],
  ['--region ', 'uk ca'],
  ['case list --region c', 'ca'],
  ['case list --region = c', 'ca'],
  ['credential issue any --kind api', 'api-key'],
  ['credential issue --role ', ''],
  ['organisation feature any verification ', 'on off'],
  ['completion ', 'bash zsh fish'],
  ['serve --no', '--no-analysis'],
  ['role list --', '--json --help --region --data-dir'],
  ['unknown x', ''],
  ['case list any ', ''],
  // No file where an identifier belongs.
  ['file add ', ''],
  ['analysis show ', ''],
  ['case show ', ''],
  ...['file add any inv', 'file add any one.pdf two.pdf ', 'file add --for any any ', 'case import '].map(filesFor),
  ...['registry import --json ', 'restore /bac', '--data-dir '].map(filesFor),
])('behind "%s" a shell is offered "%s"', async (words, offered) => {
  const text = await completing.text(`complete -- ${words}`);
  expect(text === ':files\n' ? ':files' : [...text.matchAll(/^.+(?=\t)/gm)].join(' ')).toBe(offered);
});

test.each(['bash', 'zsh', 'fish'])('the script of %s asks the program', async (shell) => {
  expect(await completing.text(`completion ${shell}`)).toContain('document-analysis complete -- ');
});
