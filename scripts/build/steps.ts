import { runIn } from '../release/run.ts';

/** npm scripts of packages. They are independent: each writes to its own folder, and none reads another's output. */
export const steps = [
  { doing: 'documentation', folder: '.', script: 'build:docs' },
  { doing: 'server', folder: '.', script: 'build:server' },
  { doing: 'contract suite', folder: 'contract', script: 'build' },
  { doing: 'client', folder: 'client', script: 'build' },
] as const;

/** The files that the steps read, in addition to the installed packages. */
export const inputs = [
  'CHANGELOG.md',
  'README.md',
  'bench/results',
  'client',
  'contract',
  'docs',
  'generated',
  'openapi',
  'package.json',
  'redocly.yaml',
  'scripts',
  'src',
  'tsconfig.json',
];

/** npm's records of the installed packages. */
export const installed = ['node_modules/.package-lock.json', 'scripts/node_modules/.package-lock.json'];

export const outputs = ['dist', 'contract/dist', 'client/dist'];

/** Runs a step, and says on stderr how long it took. @throws {Error} with its output if it fails */
export async function runStep({ doing, folder, script }: (typeof steps)[number]): Promise<void> {
  const begun = performance.now();
  await runIn(folder)('npm', 'run', '--silent', script).catch((error: unknown) => {
    throw new Error(`The ${doing} cannot be built: in ${folder}/, ${(error as Error).message}`, { cause: error });
  });
  console.error(`Built the ${doing} in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
