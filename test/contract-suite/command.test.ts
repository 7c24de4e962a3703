import { expect, test } from '@jest/globals';
import { mkdir, readdir } from 'node:fs/promises';
import { checkOptions, optionsOf } from '../../contract/cli/check.ts';
import { prepareReports } from '../../contract/report/files.ts';
import { UsageError } from '../../contract/run/errors.ts';
import { eachRun } from '../support/contract.ts';

const run = eachRun();
const parse = (...args: string[]) =>
  optionsOf(
    checkOptions('npm run contract --', true)
      .exitOverride()
      .parse(['node', 'contract', ...args]),
  );

test('the options by default mean the own server, all checks and a random seed', () => {
  const { seed, ...options } = parse();
  expect(options).toEqual({
    requireAll: true,
    promises: ['interface', 'document', 'decision'],
    provoke429: false,
    allowExtraFields: false,
    dredd: false,
    thorough: false,
    insecure: false,
    selection: { only: [], skip: [] },
    timeoutSeconds: 10,
    runTimeoutSeconds: 900,
    workers: 4,
    files: {},
  });
  expect(Number.isInteger(seed)).toBe(true);
  expect(parse().seed).not.toBe(parse().seed);
});

test('the options name a target and how to treat it', () => {
  const target = ['--url', 'http://a.example', '--case-url', 'http://b.example', '--credentials', 'c.json'];
  const others = '--require-all --provoke-429 --allow-extra-fields --seed 7 --timeout-seconds 0.5'.split(' ');
  const reached = ['--header', 'A: b, c', '--header', 'D: e', '--ca', 'c.pem', '--insecure', '--wait', '5'];
  const chosen = ['--only', 'replay.*,D11', '--only', 'getCase', '--skip', '*.429', '--dredd'];
  const files = ['--junit', 'j', '--json', 'k', '--html', 'h', '--sarif', 's', '--markdown', 'm'];
  const known = ['--baseline', 'known.txt', '--write-baseline', '--run-timeout-seconds', '60', '--workers', '2'];
  expect(parse(...target, ...others, ...reached, ...chosen, ...known, ...files)).toMatchObject({
    remote: {
      url: 'http://a.example',
      caseUrl: 'http://b.example',
      credentials: 'c.json',
      provoke429: true,
      header: ['A: b, c', 'D: e'],
      ca: 'c.pem',
      insecure: true,
    },
    selection: { only: ['replay.*', 'D11', 'getCase'], skip: ['*.429'] },
    baseline: 'known.txt',
    writeBaseline: true,
    dredd: true,
    thorough: false,
    wait: 5,
    requireAll: true,
    allowExtraFields: true,
    seed: 7,
    timeoutSeconds: 0.5,
    runTimeoutSeconds: 60,
    workers: 2,
    files: { junit: 'j', json: 'k', html: 'h', sarif: 's', markdown: 'm' },
  });
  const remote = { url: 'u', credentials: 'c' };
  expect(parse('--url', 'u', '--credentials', 'c')).toMatchObject({ requireAll: false, remote });
});

test.each([
  [['--url', 'http://a.example'], '--url needs --credentials, a file'],
  [['--credentials', 'c.json'], '--credentials, --case-url, --operator and --start need --url'],
  [['--case-url', 'http://a.example'], '--credentials, --case-url, --operator and --start need --url'],
  [['--start', 'a'], '--credentials, --case-url, --operator and --start need --url'],
  [['--url', 'a', '--credentials', 'c.json'], '--url must be a base address'],
  [
    ['--url', 'http://a', '--credentials', 'c.json'],
    'the credentials file c.json cannot be read: there is no such file',
  ],
  [['--url', 'http://a', '--credentials', '/'], 'cannot be read: it is a directory'],
  [['--seed', '-1'], 'It must be a whole number from 0 to 2147483647.'],
  [['--seed', '2147483648'], 'It must be a whole number'],
  [['--timeout-seconds', '0'], 'It must be a number of seconds'],
  [['--run-timeout-seconds', '1e9'], 'It must be a number of seconds'],
  [['--write-baseline'], '--write-baseline needs --baseline'],
  [['--baseline', 'none.txt'], 'the file none.txt of --baseline cannot be read: there is no such file'],
  [['--baseline', '/', '--write-baseline'], 'the file / of --baseline cannot be written: it is a directory'],
  [['--config', 'none.yaml'], 'the configuration file none.yaml cannot be read: there is no such file'],
  [['--only', 'nothing.*'], '--only nothing.* matches no check; --list shows them all'],
  [['--skip', 'nothing'], '--skip nothing matches no check'],
  [['--only', 'getCase', '--skip', 'getCase'], '--only and --skip leave no check'],
  [['--verbose'], "unknown option '--verbose'"],
  [['extra'], 'too many arguments'],
  [['--junit'], "option '--junit <file>' argument missing"],
  [['--json', 'package.json/a.json'], 'the file package.json/a.json of --json cannot be written'],
  [['--html', '/'], 'the file / of --html cannot be written: it is a directory'],
])('wrong usage, %j, is told on stderr with exit code 2', async (args, message) => {
  const { exitCode, stdout, stderr } = await run.inProcess(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
});

test('the help describes every option, with examples and exit codes', async () => {
  const { exitCode, stdout, stderr } = await run.inProcess(['--help']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: npm run contract -- \[options\]\n\nCheck a server against the whole contract/);
  expect(stdout).toContain('\nExamples:\n  $ npm run contract\n');
  for (const code of [0, 1, 2, 3]) expect(stdout).toMatch(new RegExp(`\\n  ${code}  \\w`));
});

test('the files of reports are made ready before the run: folders exist, and earlier reports are gone', async () => {
  await run.write('old.json', '{"held": true}');
  await prepareReports({ json: run.file('old.json'), html: run.file('new/folder/page.html') });
  expect(await readdir(run.folder)).toEqual(['new']);
  await mkdir(run.file('folder'));
  await expect(prepareReports({ junit: run.file('folder') })).rejects.toThrow(UsageError);
});
