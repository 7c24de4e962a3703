import { describe, expect, test } from '@jest/globals';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { checkOptions, optionsOf } from '../../contract/cli/check-options.ts';
import { prepareReports } from '../../contract/report/files.ts';
import { UsageError } from '../../contract/run/usage-error.ts';
import { ContractRun } from '../support/contract.ts';

const parse = (...args: string[]) =>
  optionsOf(
    checkOptions('npm run contract --', true)
      .exitOverride()
      .parse(['node', 'contract', ...args]),
  );

describe('the options', () => {
  test('by default mean the own server, all checks and a random seed', () => {
    const { seed, ...options } = parse();
    expect(options).toEqual({
      requireAll: true,
      allowExtraFields: false,
      timeoutSeconds: 10,
      runTimeoutSeconds: 900,
      files: {},
    });
    expect(Number.isInteger(seed)).toBe(true);
    expect(parse().seed).not.toBe(parse().seed);
  });

  test('name a target and how to treat it', () => {
    const target = ['--url', 'http://a.example', '--case-url', 'http://b.example', '--credentials', 'c.json'];
    const others = [
      '--require-all',
      '--provoke-429',
      '--allow-extra-fields',
      '--seed',
      '7',
      '--timeout-seconds',
      '0.5',
    ];
    const files = ['--junit', 'j', '--json', 'k', '--html', 'h', '--run-timeout-seconds', '60'];
    expect(parse(...target, ...others, ...files)).toEqual({
      remote: { url: 'http://a.example', caseUrl: 'http://b.example', credentialsFile: 'c.json', provoke429: true },
      requireAll: true,
      allowExtraFields: true,
      seed: 7,
      timeoutSeconds: 0.5,
      runTimeoutSeconds: 60,
      files: { junit: 'j', json: 'k', html: 'h' },
    });
    expect(parse('--url', 'u', '--credentials', 'c')).toMatchObject({
      requireAll: false,
      remote: { provoke429: false },
    });
  });
});

describe('wrong usage', () => {
  test.each([
    [['--url', 'http://a.example'], '--url needs --credentials, a file'],
    [['--credentials', 'c.json'], '--credentials and --case-url need --url'],
    [['--case-url', 'http://a.example'], '--credentials and --case-url need --url'],
    [['--url', 'a', '--credentials', 'c.json'], '--url must be a base address'],
    [['--seed', '-1'], 'It must be a whole number from 0 to 2147483647.'],
    [['--seed', '2147483648'], 'It must be a whole number'],
    [['--timeout-seconds', '0'], 'It must be a number of seconds'],
    [['--run-timeout-seconds', '1e9'], 'It must be a number of seconds'],
    [['--verbose'], "unknown option '--verbose'"],
    [['extra'], 'too many arguments'],
    [['--junit'], "option '--junit <file>' argument missing"],
    [['--json', 'package.json/a.json'], 'the file package.json/a.json of --json cannot be written'],
    [['--html', '/'], 'the file / of --html cannot be written: it is a directory'],
  ])('%j is told on stderr with exit code 2', async (args, message) => {
    await ContractRun.in(async (run) => {
      const { exitCode, stdout, stderr } = await run.inProcess(args);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^error: /);
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    });
  });
});

describe('the help', () => {
  test('describes every option, with examples and exit codes', async () => {
    await ContractRun.in(async (run) => {
      const { exitCode, stdout, stderr } = await run.inProcess(['--help']);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: npm run contract -- \[options\]\n\nCheck a server against the whole contract/);
      expect(stdout).toContain('\nExamples:\n  $ npm run contract\n');
      for (const code of [0, 1, 2, 3]) expect(stdout).toMatch(new RegExp(`\\n  ${code}  \\w`));
    });
  });
});

describe('the files of reports', () => {
  test('are made ready before the run: folders exist, and reports of an earlier run are gone', async () => {
    await ContractRun.in(async (run) => {
      await writeFile(run.file('old.json'), '{"held": true}');
      await prepareReports({ json: run.file('old.json'), html: run.file('new/folder/page.html') });
      expect(await readdir(run.folder)).toEqual(['new']);
      await mkdir(run.file('folder'));
      await expect(prepareReports({ junit: run.file('folder') })).rejects.toThrow(UsageError);
    });
  });
});
