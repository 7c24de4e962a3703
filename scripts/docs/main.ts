import { Command } from 'commander';
import { exitCodes } from '../../src/cli/errors.ts';
import { print } from '../../src/cli/output.ts';
import { runAsMain, runScript } from '../script.ts';
import { buildDocs } from './build.ts';
import { buildOnce } from './build-once.ts';

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
