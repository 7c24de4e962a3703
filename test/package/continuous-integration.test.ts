/** The action of GitHub and the component of GitLab: their steps are run in a folder of their own, against a real server. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { create } from 'xmlbuilder2';
import { parse, parseAllDocuments } from 'yaml';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { afterwards } from '../support/afterwards.ts';
import { installForUser, run as execute } from './packed.ts';

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  shell?: string;
  env?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}
interface Job {
  variables: Record<string, string>;
  script: string[];
  artifacts: { paths: string[]; reports: { junit: string } };
}

const action = parse(readFileSync('contract/action/action.yml', 'utf8'), { strict: true }) as Action;
const gitlabText = readFileSync('contract/gitlab/contract.yml', 'utf8');
const args = `--only 'replay.getCase.*' --timeout-seconds 60 --header "X-Team: deep blue" --skip '*.429,*.500,*.503'`;

const user = await installForUser('contract');
const target = await startOwnTarget();
afterwards(() => target.close());

/** A folder to work in, and what a runner tells its steps. */
async function runner(name: string): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const folder = join(user.project, name);
  await mkdir(join(folder, 'temp'), { recursive: true });
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  return { folder, env: { ...process.env, PATH: path, RUNNER_TEMP: join(folder, 'temp') } };
}

/** The rows of a JUnit report: how many test cases there are, and how many have not failed or been skipped. */
async function junitOf(file: string): Promise<Record<string, string>> {
  const { testsuites } = create(await readFile(file, 'utf8')).end({ format: 'object' }) as unknown as {
    testsuites: Record<string, string>;
  };
  return testsuites;
}

describe('the action of GitHub', () => {
  const steps = action.runs.steps;
  const named = (wanted: string): Step => steps.find(({ name }) => name === wanted) ?? {};
  const run = async (step: Step, inputs: Record<string, string>, at: Awaited<ReturnType<typeof runner>>) => {
    const value = (text: string) =>
      text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_all, name: string) => inputs[name] ?? '?');
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, value(text)]));
    const github = { GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: resolve('contract/action') };
    const summary = { GITHUB_STEP_SUMMARY: join(at.folder, 'summary.md') };
    const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''];
    return execute('bash', script, { cwd: at.folder, env: { ...at.env, ...github, ...summary, ...env } }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: unknown) => error as { code: number; stdout: string },
    );
  };
  const inputsFor = (more: Record<string, string>): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, { default: text = '' }]) => [name, text])),
    url: target.credentials.base_url,
    credentials: JSON.stringify(target.credentials),
    package: user.tarball,
    ...more,
  });

  test('is composite, pins what it uses as the workflow does, and puts no input into a script', () => {
    expect(action.runs.using).toBe('composite');
    const [setUp] =
      /actions\/setup-node@[0-9a-f]{40} # v\S+/.exec(readFileSync('.github/workflows/ci.yml', 'utf8')) ?? [];
    expect(readFileSync('contract/action/action.yml', 'utf8')).toContain(`uses: ${setUp ?? 'none'}\n`);
    for (const { run: script = '', uses, shell: ownShell } of steps) {
      expect(script).not.toContain('${{');
      expect(uses ?? ownShell).toBeDefined();
    }
  });

  test('installs the suite, checks the server, reports, and leaves no credentials behind', async () => {
    const at = await runner('github');
    const scripts = steps.filter((step) => step.run !== undefined);
    const inputs = inputsFor({ args, promises: 'document' });
    const secrets = join(at.folder, 'temp/document-analysis-contract/credentials.json');
    for (const step of scripts) {
      const { code, stdout } = await run(step, inputs, at);
      expect({ step: step.name, code }).toEqual({ step: step.name, code: 0 });
      if (step.name === 'Write the credentials') expect((await stat(secrets)).mode & 0o777).toBe(0o600);
      if (step.name === 'Check the server')
        expect(stdout).toMatch(/\nreplay +3 +0 +\d+\n[^]*\n\d+ passed, 0 failed, \d+ skipped\n$/);
    }
    expect(existsSync(secrets)).toBe(false);
    for (const { value } of Object.values(action.outputs))
      expect(existsSync(join(at.folder, value.replace('${{ inputs.reports }}', 'contract-reports')))).toBe(true);
    expect(await readFile(join(at.folder, 'summary.md'), 'utf8')).toMatch(
      /^## The server conforms to the document in all that was checked; \d+ checks not run\n/,
    );
    expect(await junitOf(join(at.folder, 'contract-reports/contract.xml'))).toMatchObject({ '@failures': '0' });

    const { viewer_key: withoutPermission } = target.credentials;
    await run(scripts[1] ?? {}, inputsFor({ credentials: JSON.stringify({ owner_key: withoutPermission }) }), at);
    const failed = await run(
      named('Check the server'),
      inputsFor({ args: '--only replay.getVerificationSetting.200' }),
      at,
    );
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/^::error title=replay\.getVerificationSetting\.200::.*: expected status 200/m);
  });

  test('installs the package of its own version, if no other is named', async () => {
    const at = await runner('version');
    const script = `npm() { printf '%s\\n' "$@"; }; ${named('Install the suite').run ?? ''}`;
    const { stdout } = await run({ run: script }, {}, at);
    expect(stdout.trim().split('\n').at(-1)).toBe(`document-analysis-contract@${user.manifest.version}`);
  });

  test('executes nothing that an option holds', async () => {
    const at = await runner('hostile');
    const hostile = inputsFor({ args: '--only $(touch hacked) `touch hacked`; touch hacked' });
    expect((await run(named('Check the server'), hostile, at)).code).not.toBe(0);
    expect(existsSync(join(at.folder, 'hacked'))).toBe(false);
  });
});

test('the component of GitLab installs the suite, checks the server, and leaves the reports that it names', async () => {
  const common = { url: target.credentials.base_url, stage: 'verify', promises: 'document' };
  const inputs: Record<string, string> = { ...common, args, package: user.tarball };
  const [header, jobs] = parseAllDocuments(
    gitlabText.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_all, name: string) => inputs[name] ?? '?'),
  );
  if (!header || !jobs) throw new Error('The component has not two documents.');
  const { spec } = header.toJS() as { spec: { inputs: Record<string, { default?: string }> } };
  expect(Object.keys(spec.inputs)).toEqual(Object.keys(inputs));
  const job = (jobs.toJS() as Record<string, Job>)['document-analysis-contract'];
  if (!job) throw new Error('The component has no job.');
  const at = await runner('gitlab');
  const file = join(at.folder, 'credentials');
  await writeFile(file, JSON.stringify(target.credentials), { mode: 0o600 });
  const env = { ...at.env, ...job.variables, CONTRACT_CREDENTIALS: file };
  const { stdout } = await execute('sh', ['-ec', job.script.join('\n')], { cwd: at.folder, env });
  expect(stdout).toMatch(/\nreplay +3 +0 +\d+\n[^]*\n\d+ passed, 0 failed, \d+ skipped\n$/);
  expect(stdout).toContain('The server conforms to the document in all that was checked');
  expect(job.artifacts.paths).toEqual(['reports']);
  expect(await junitOf(join(at.folder, job.artifacts.reports.junit))).toMatchObject({ '@failures': '0' });
});
