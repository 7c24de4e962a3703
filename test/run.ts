/**
 * `npm test`: the tests that need one process, with coverage. `npm test -- NAME` runs another suite of the table below, with
 * further arguments; all other arguments are Jest's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { installPackages } from '../scripts/install-packages.ts';

/** A suite: tests of Jest, by the name of their project, or a program. */
interface Suite {
  readonly about: string;
  readonly jest?: string;
  readonly program?: string;
  /** The first arguments of the program. */
  readonly args?: readonly string[];
  /** The folders whose packages it needs. */
  readonly packages?: readonly string[];
  /** What must succeed before. */
  readonly before?: readonly string[];
}

const replay = 'contract/replay';
const docs = ['scripts', 'scripts/lint', 'test/browser'];

const suites: Readonly<Record<string, Suite>> = {
  processes: {
    about: 'tests that start processes, kill them or wait: drain, killed updates, hostile files',
    jest: 'processes',
  },
  contract: { about: 'the tests of the contract suite', jest: 'contract-suite', packages: [replay] },
  docs: {
    about: 'the documentation, its pages in Chromium, releases, and the steps of the guides',
    jest: 'docs',
    packages: [...docs, 'test/collections'],
  },
  package: {
    about: 'packs, unpacks and checks each package, compiles against it and runs it',
    jest: 'package',
    packages: ['test/package'],
  },
  image: {
    about: 'builds the image without Docker and calls it; needs root or newuidmap',
    jest: 'image',
  },
  exercises: {
    about: 'adds operations of other shapes to a copy of the project, and tests them',
    jest: 'exercises',
    packages: [...docs, replay, 'test/mutation'],
  },
  services: {
    about: 'both regions as processes, behind the proxy of compose.yaml',
    jest: 'services',
    before: ['test/services/needed.ts'],
  },
  generators: {
    about: 'clients that generators made of the document, in five languages, call the server',
    program: 'test/generators/run.ts',
    packages: ['test/generators'],
  },
  nodes: {
    about: 'npm test and the contract suite on Node.js 22 and 26, or on others',
    program: 'test/nodes/main.ts',
  },
  'fault-injection': {
    about: 'kills servers, stops databases, breaks disks, and lets hostile clients in; twenty minutes',
    program: 'test/fault-injection/main.ts',
    before: ['scripts/build.ts'],
  },
  fuzz: { about: 'generated and edited input for each parser; ten minutes', program: 'test/fuzz/main.ts' },
  mutation: {
    about: 'mutation testing of the code; hours',
    program: 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
    args: ['run', 'test/mutation/stryker.config.js'],
    packages: ['test/mutation'],
  },
};

const jest = 'node_modules/jest/bin/jest.js';

/** Runs a program of Node.js, and returns its exit code. */
async function run(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

async function main([name = '', ...others]: string[]): Promise<number> {
  if (name === '--help') {
    const lines = Object.entries(suites).map(([suite, { about }]) => `  ${suite.padEnd(16)} ${about}`);
    console.log('Usage: npm test -- [SUITE] [arguments]\n\nWithout a suite, the tests that need one process, and');
    console.log(`arguments of Jest: npm test -- test/unit/api\n\nSuites:\n${lines.join('\n')}`);
    return 0;
  }
  const { [name]: suite } = suites;
  // A part of the tests does not reach the thresholds of coverage.
  const whole = name === '' ? ['--coverage'] : [name];
  await Promise.all((suite ? (suite.packages ?? []) : ['scripts']).map(installPackages));
  // Jest takes all that follows --selectProjects for projects.
  if (!suite) return run(jest, ...whole, ...others, '--selectProjects', 'main');
  for (const program of suite.before ?? []) {
    const code = await run(program);
    if (code !== 0) return code;
  }
  if (suite.program !== undefined) return run(suite.program, ...(suite.args ?? []), ...others);
  // Without coverage, which needs all code compiled anew, each process that is started loads what another has compiled.
  process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/node');
  return run(jest, '--ci', ...others, '--selectProjects', suite.jest ?? name);
}

process.exitCode = await main(process.argv.slice(2));
