/** One npm script that `npm run build` runs. */
export interface BuildStep {
  readonly doing: string;
  /** The folder of the package that has the script. */
  readonly folder: string;
  readonly script: string;
}

/** They write to folders of their own, and none reads what another writes. */
export const steps: readonly BuildStep[] = [
  { doing: 'documentation', folder: '.', script: 'build:docs' },
  { doing: 'server', folder: '.', script: 'build:server' },
  { doing: 'contract suite', folder: 'contract', script: 'build' },
  { doing: 'client', folder: 'client', script: 'build' },
];

/** What the steps read, beside the installed packages. */
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

/** What npm notes of the packages that it has installed. */
export const installed = ['node_modules/.package-lock.json', 'scripts/node_modules/.package-lock.json'];

/** What the steps write. */
export const outputs = ['dist', 'contract/dist', 'client/dist'];
