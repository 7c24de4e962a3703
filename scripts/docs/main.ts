import { Command } from 'commander';
import { buildDocs } from './build.js';

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;

await new Command('npm run docs --')
  .description('Write the documentation and the document, plain and compressed, to dist/docs/.')
  .option('--quiet', 'print nothing')
  .action(async ({ quiet }: { quiet?: true }) => {
    const files = await buildDocs('dist/docs');
    if (quiet) return;
    for (const { path, bytes, brotliBytes } of files)
      process.stdout.write(`${path}: ${kilobytes(bytes)}, ${kilobytes(brotliBytes)} with brotli\n`);
  })
  .parseAsync();
