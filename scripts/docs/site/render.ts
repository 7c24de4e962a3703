/**
 * `node render.ts PROJECT` renders a prepared project with Starlight into its folder `dist`. Its `site.json` has the
 * title and the navigation.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import starlight from '@astrojs/starlight';
import { build } from 'astro';
import type { SiteSettings } from '../site-project.ts';

const [root = ''] = process.argv.slice(2);
const outDir = join(root, 'dist');
const { title, sidebar } = JSON.parse(readFileSync(join(root, 'site.json'), 'utf8')) as SiteSettings;

/** The search loads its index relative to the scripts, wherever the folder is published. */
const relocatableSearch = {
  name: 'relocatable-search',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.includes('Search.astro') && code.includes('bundlePath')
      ? code.replaceAll('import.meta.env.BASE_URL', "new URL(import.meta.url).pathname.replace(/_astro\\/[^/]*$/, '')")
      : undefined,
};

await build({
  root,
  outDir,
  configFile: false,
  logLevel: 'error',
  build: { format: 'file' },
  devToolbar: { enabled: false },
  vite: { plugins: [relocatableSearch] },
  integrations: [
    starlight({
      title,
      sidebar: [...sidebar],
      customCss: ['./src/site.css'],
      disable404Route: true,
      pagination: false,
      // Blocks look the same for commands and code, and long lines wrap, so that they can be read and printed.
      expressiveCode: { defaultProps: { frame: 'none', wrap: true, preserveIndent: true } },
      credits: false,
    }),
  ],
});

// Starlight ends Pagefind before it has written its whole index, which then has an empty file.
rmSync(join(outDir, 'pagefind'), { recursive: true });
const pagefind = fileURLToPath(new URL('../../node_modules/.bin/pagefind', import.meta.url));
execFileSync(pagefind, ['--quiet', '--site', outDir]);
