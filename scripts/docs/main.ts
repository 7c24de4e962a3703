import { Command } from 'commander';
import { exitCodes } from '../../src/cli/errors.ts';
import { print } from '../../src/cli/output.ts';
import { runAsMain, runScript } from '../script.ts';
import { buildDocs } from './build.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../build/steps.ts';
import { repositoryAddress } from './guides.ts';

/** The sources of the documentation, in addition to Node.js and the address of the repository. */
const sources = [
  'bench/results',
  'contract/document',
  'docs',
  'generated/openapi.json',
  'openapi',
  'package.json',
  'redocly.yaml',
  'scripts/docs',
  'scripts/package-lock.json',
  'scripts/release',
  'src/api/steps/serve-docs.ts',
];
const results = ['docs/index.html', 'served-docs/docs.bin', 'served-docs/docs.json'];

/** Builds, unless a note below the folder shows that the last build had the same sources. */
export async function buildOnce<T>(folder: string, build: () => Promise<T>): Promise<T | undefined> {
  const note = join(folder, 'served-docs/sources.sha256');
  const digest = `${digestOf(sources, ['node_modules'])} ${repositoryAddress('.') ?? ''}`;
  const isBuilt = results.every((file) => existsSync(join(folder, file)));
  if (isBuilt && existsSync(note) && readFileSync(note, 'utf8') === digest) return undefined;
  const built = await build();
  writeFileSync(note, digest);
  return built;
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

const command = new Command('npm run docs --')
  .description(
    'Write the documentation to dist/docs/, a folder for any host of static files, and to dist/served-docs/ for the server.',
  )
  .option('--quiet', 'print nothing');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async () => {
    const written = await buildOnce('dist', () => buildDocs('dist'));
    if (command.opts<{ quiet?: true }>().quiet) return exitCodes.done;
    await print(
      context.stdout,
      written
        ? `dist/docs/: ${written.files} files, ${megabytes(written.bytes)}; ${megabytes(written.servedBytes)} as the server holds them\n`
        : 'dist/docs/ is up to date.\n',
    );
    return exitCodes.done;
  }),
);
