import { Command } from 'commander';
import { runCommandLine } from '../command-line.ts';
import { buildDocs } from './build.ts';
import { buildOnce, digestOf } from '../build/build-once.ts';
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
const results = ['dist/docs/index.html', 'dist/served-docs/docs.bin', 'dist/served-docs/docs.json'];

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

await runCommandLine(
  new Command('npm run docs --')
    .description(
      'Write the documentation to dist/docs/, a folder for any host of static files, and to dist/served-docs/ for the server.',
    )
    .option('--quiet', 'print nothing')
    .action(async ({ quiet }: { quiet?: true }) => {
      const inputs = `${digestOf(sources, ['node_modules'])} ${repositoryAddress() ?? ''}`;
      const build = { note: 'dist/served-docs/sources.sha256', inputs, outputs: results };
      const written = await buildOnce(build, () => buildDocs('dist'));
      if (quiet) return;
      console.log(
        written
          ? `dist/docs/: ${written.files} files, ${megabytes(written.bytes)}; ${megabytes(written.servedBytes)} as the server holds them`
          : 'dist/docs/ is up to date.',
      );
    }),
);
