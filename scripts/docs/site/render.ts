/**
 * Renders a prepared project with Starlight into its folder `dist`, in a process of its own: `node render.ts PROJECT`.
 * The project's `site.json` has the title and the navigation.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import starlight from '@astrojs/starlight';
import { type AstroIntegration, build } from 'astro';
import * as pagefind from 'pagefind';
import type { SiteSettings } from '../site-project.ts';

const [root = ''] = process.argv.slice(2);
const outDir = join(root, 'dist');
const { title, sidebar } = JSON.parse(readFileSync(join(root, 'site.json'), 'utf8')) as SiteSettings;

/**
 * Writes the index of the search anew: Pagefind's own writeFiles, which Starlight uses, resolves before everything is written,
 * and ending Pagefind then leaves an empty file.
 */
const completeSearch: AstroIntegration = {
  name: 'complete-search',
  hooks: {
    'astro:build:done': async () => {
      const outputPath = join(outDir, 'pagefind');
      rmSync(outputPath, { recursive: true });
      const { index, errors } = await pagefind.createIndex();
      if (!index) throw new Error(`Pagefind has failed: ${errors.join('; ')}`);
      const added = await index.addDirectory({ path: outDir });
      const indexed = await index.getFiles();
      const faults = [...added.errors, ...indexed.errors];
      await pagefind.close();
      if (faults.length > 0) throw new Error(`Pagefind has failed: ${faults.join('; ')}`);
      for (const { path, content } of indexed.files) {
        mkdirSync(dirname(join(outputPath, path)), { recursive: true });
        writeFileSync(join(outputPath, path), content);
      }
    },
  },
};

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
    completeSearch,
  ],
});
