/**
 * Generates clients from the document with other people's generators, compiles them, and calls the real program with them.
 * What a generator or its language needs that is not here (Java, Go, Mono, a Python package) is told, and is no failure.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallTarget, Observed } from './observed.ts';
import { closeOpened } from '../support/afterwards.ts';
import { jsonOf, startServer } from '../support/process.ts';
import { runCommand, installedFile, outputFolder, isHere } from './program.ts';
import { commandOf, type Generator, generators } from './generators.ts';
import { languages } from './languages.ts';
import { deepStrictEqual } from 'node:assert';

const deadlineSeconds = 1200;

type Outcome = 'passed' | 'failed' | 'not run';

async function prepareTarget(): Promise<CallTarget> {
  const { url, dataDir } = await startServer();
  return jsonOf(['demo', '--port', new URL(url).port, '--data-dir', dataDir]);
}

async function tryGenerator(generator: Generator, target: CallTarget): Promise<Outcome> {
  const { name, packageName, command, workingFolder } = generator;
  const language = languages[generator.language];
  const manifest = await readFile(installedFile(`${packageName}/package.json`), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const done: string[] = [];
  const conclude = (outcome: Outcome, detail = '') => {
    console.log(`${outcome}: ${name} ${version}: ${[...done, ...(detail ? [detail] : [])].join(', ')}`);
    return outcome;
  };
  const startedAt = performance.now();
  try {
    const lacks = command[0] === 'java' && !(await isHere('java', '-version')) ? 'Java' : await language.lacks();
    if (lacks !== undefined) return conclude('not run', `there is no ${lacks}`);
    await mkdir(join(outputFolder, name), { recursive: true });
    await runCommand(commandOf(generator), { cwd: workingFolder });
    done.push('generated');
    await language.compile(name);
    done.push('compiled');
    await compareWithPlainRequest(await language.call(name, target), target);
    done.push('called');
    return conclude('passed', `${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    return conclude('failed', `then: ${error instanceof Error ? error.message : String(error)}`);
  }
}

setTimeout(() => {
  console.log(`failed: not done within ${deadlineSeconds} s`);
  process.exit(1);
}, deadlineSeconds * 1000).unref();
await rm(outputFolder, { recursive: true, force: true });
const outcomes: Outcome[] = [];
const target = await prepareTarget();
for (const generator of generators) outcomes.push(await tryGenerator(generator, target));
await closeOpened();
const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run`);
process.exitCode = count('failed') === 0 && count('passed') >= 2 ? 0 : 1;

/** Compares what a generated client saw with what a plain request sees. @throws {Error} if they differ */
async function compareWithPlainRequest(observed: Observed, target: CallTarget): Promise<void> {
  deepStrictEqual(essence(observed), await expected(target));
}

async function expected({ case_base_url, case_id, access_token }: CallTarget): Promise<Observed> {
  const headers = { Authorization: `Bearer ${access_token}` };
  const found = (await (await fetch(`${case_base_url}/cases/${case_id}`, { headers })).json()) as Observed['case'] &
    Pick<Observed, 'files'>;
  return essence({
    enabled: [false, true, true],
    case: found,
    files: found.files,
    unknownCase: [404, 'request.cases.case.not-found'],
    unknownKey: [401, 'request.authentication.invalid-token'],
  });
}

/** Only the fields that every caller reports. */
function essence({ case: found, files, ...others }: Observed): Observed {
  const { case_id, label, locked_at, file_analysis_status, total_files } = found;
  return {
    ...others,
    case: { case_id, label, locked_at, file_analysis_status, total_files },
    files: files.map(({ file_id, analysis_status, analysis_completed_at }) => {
      return { file_id, analysis_status, analysis_completed_at };
    }),
  };
}
