/**
 * Generates clients from the document with other people's generators, compiles them, and calls the real program with them.
 * What a generator needs that is not here (Java, Python, a Python package) is told, and is no failure.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallTarget } from './observed.ts';
import { installPackages } from '../../scripts/install-packages.ts';
import { serving, startProgram, withDataDir } from '../support/process.ts';
import { call } from './call.ts';
import { runCommand } from './command.ts';
import { compile } from './compile.ts';
import { folder, type Generator, generators, outputFolder } from './generators.ts';

const deadlineSeconds = 240;

/** What is asked of this machine before a step is tried. */
const needs = {
  java: ['java', '-version'],
  python: ['python3', '-c', 'import certifi, dateutil, six, urllib3'],
} as const;

type Outcome = 'passed' | 'failed' | 'not run';

async function withServer(work: (target: CallTarget) => Promise<void>): Promise<void> {
  await withDataDir(async (dataDir) => {
    const server = startProgram(['serve', '--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    process.once('exit', () => server.child.kill());
    try {
      const { port } = new URL(await serving(server));
      const demo = startProgram(['demo', '--json', '--port', port, '--data-dir', dataDir]);
      if ((await demo.ended) !== 0) throw new Error(`The demo data could not be made: ${demo.stderr()}`);
      await work(JSON.parse(demo.stdout()) as CallTarget);
    } finally {
      server.child.kill();
      await server.ended;
    }
  });
}

async function tryGenerator(generator: Generator, target: CallTarget): Promise<Outcome> {
  const { name, packageName, command, workingFolder } = generator;
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', packageName, 'package.json'), 'utf8')) as {
    version: string;
  };
  const done: string[] = [];
  const conclude = (outcome: Outcome, detail = '') => {
    console.log(`${outcome.padEnd(7)}  ${name} ${version}: ${[...done, ...(detail ? [detail] : [])].join(', ')}`);
    return outcome;
  };
  const startedAt = performance.now();
  try {
    if (command[0] === 'java' && !(await here('java'))) return conclude('not run', 'Java is not installed');
    await mkdir(join(outputFolder, name), { recursive: true });
    await runCommand(command, { cwd: workingFolder });
    done.push('generated');
    if (generator.language === 'Python' && !(await here('python')))
      return conclude('not run', 'not called: Python 3 with certifi, dateutil, six and urllib3 is not installed');
    await compile(generator);
    done.push('compiled');
    await call(generator, target);
    done.push('called');
    return conclude('passed', `${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    return conclude('failed', `then: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function here(need: keyof typeof needs): Promise<boolean> {
  return runCommand(needs[need], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

await installPackages(folder);
setTimeout(() => {
  console.log(`failed   not done within ${deadlineSeconds} s`);
  process.exit(1);
}, deadlineSeconds * 1000).unref();
await rm(outputFolder, { recursive: true, force: true });
const outcomes: Outcome[] = [];
await withServer(async (target) => {
  for (const generator of generators) outcomes.push(await tryGenerator(generator, target));
});
const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run`);
process.exitCode = count('failed') === 0 && count('passed') >= 2 ? 0 : 1;
