import { Command } from 'commander';
import { exitCodes } from '../../src/cli/errors.ts';
import { print } from '../../src/cli/output.ts';
import { runAsMain, runScript } from '../script.ts';
import { buildDocs } from './build.ts';

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

const command = new Command('npm run docs --')
  .description('Write the documentation and the document, plain and compressed, to dist/docs/.')
  .option('--quiet', 'print nothing');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async () => {
    const files = await buildDocs('dist/docs');
    if (command.opts<{ quiet?: true }>().quiet) return exitCodes.done;
    for (const { path, bytes, brotliBytes } of files)
      await print(context.stdout, `${path}: ${kilobytes(bytes)}, ${kilobytes(brotliBytes)} with brotli\n`);
    return exitCodes.done;
  }),
);
