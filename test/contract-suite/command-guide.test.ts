import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import { checkOptions, optionsOf } from '../../contract/cli/check.ts';
import { openRemoteTarget } from '../../contract/target/remote-target.ts';
import { eachRun } from '../support/contract.ts';

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

interface Workflow {
  on: object;
  jobs: Record<string, { 'runs-on': string; defaults: object; steps: Step[] }>;
}

const run = eachRun();
const guide = await readFile('docs/contract-testing.md', 'utf8');
const workflow = parse(await readFile('docs/examples/contract-workflow.yml', 'utf8')) as Workflow;
expect(Object.keys(workflow.on)).toEqual(['push', 'workflow_dispatch']);
const steps = workflow.jobs['contract']?.steps ?? [];

function blockIn(text: string, language: string): string {
  return new RegExp(`\`\`\`${language}\\n([^]*?)\\n\`\`\``).exec(text)?.[1] ?? '';
}

function optionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([option]) => option));
}

describe('the guide', () => {
  test('names every option that the help has, and no other', () => {
    const ofHelp = [
      ...checkOptions('npm run contract --', true)
        .helpInformation()
        .matchAll(/^ {2}(?:-h, )?(--[a-z0-9-]+)/gm),
    ].map(([, name]) => name);
    const withoutDemo = guide.replaceAll('demo --json', '').replace(/^docker .*$|`npm pack [^`]*`/gm, '');
    expect([...optionsIn(withoutDemo)].sort()).toEqual(ofHelp.sort());
    expect(ofHelp.length).toBeGreaterThan(10);
  });

  test('tells every exit code that the help tells', async () => {
    const { exitCodes } = await import('../../contract/cli/run-command.ts');
    const [, table = ''] = /\| Exit code \| Meaning \|\n([^]*?)\n\n/.exec(guide) ?? [];
    expect([...table.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
  });

  test('shows a credentials file that is accepted', async () => {
    // In place of the explanations, values as they are.
    const file = await run.write('credentials.json', blockIn(guide, 'json').replace(/(: |\[)"[^"]+"/g, '$1"a-value"'));
    const target = await openRemoteTarget({ url: 'http://a.example', credentials: file, provoke429: false });
    expect(Object.keys(target.credentials)).toHaveLength(19);
  });
});

describe('the workflow for others', () => {
  test('checks the suite out at a ref, installs, runs and uploads whatever happens', () => {
    expect(steps.map(({ uses, name, run }) => uses ?? name ?? run)).toEqual([
      'actions/checkout@v7',
      'actions/setup-node@v7',
      'npm ci',
      'Write the credentials',
      'Check the target against the contract',
      'actions/upload-artifact@v7',
    ]);
    expect(steps[0]?.with).toMatchObject({ path: 'contract-suite', ref: '${{ vars.CONTRACT_SUITE_REF }}' });
    expect(steps[5]).toMatchObject({ if: 'always()', with: { path: 'contract-suite/reports' } });
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  test('writes the credentials for their owner alone, unchanged', async () => {
    const credentials = '{\n "owner_key": "%s\\n$HOME \'`id`" }';
    const env = { PATH: process.env['PATH'], CREDENTIALS: credentials };
    execFileSync('bash', ['--norc', '-e', '-c', steps[3]?.run ?? ''], { cwd: run.folder, env });
    const file = run.file('credentials.json');
    expect(await readFile(file, 'utf8')).toBe(credentials);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('calls the suite with options that it takes', () => {
    const script = `npm() { printf '%s\\0' "$@"; }; ${steps[4]?.run ?? ''}`;
    const env = { TARGET_URL: 'https://api.example.com' };
    const given = execFileSync('bash', ['--norc', '-e', '-c', script], { env, encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);
    expect(given.slice(0, 3)).toEqual(['run', 'contract', '--']);
    expect(
      optionsOf(
        checkOptions('npm run contract --', true)
          .exitOverride()
          .parse(['node', 'contract', ...given.slice(3)]),
      ),
    ).toMatchObject({
      remote: { url: 'https://api.example.com', credentials: 'credentials.json' },
      files: { junit: 'reports/contract.xml', json: 'reports/contract.json', html: 'reports/contract.html' },
    });
  });
});
