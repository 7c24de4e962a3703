/**
 * Browsers load modules and fetch files only from web servers. So that the site also works as a folder, all its modules
 * are bundled into one classic script, and the search index is a classic script too.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';
import type { DocsFile } from './write.ts';

const embeddedFetch = fileURLToPath(new URL('browser/embedded-fetch.ts', import.meta.url));

/** The files of the index; the languages of the pages are known, so the stemmer for unknown ones is not needed. */
const isIndex = (path: string) => /\.(pf_\w+|json|pagefind)$/.test(path) && path !== 'wasm.unknown.pagefind';

/** Bundles the modules that the pages of a folder load. */
export function siteScript(folder: string, modules: readonly string[]): DocsFile {
  const contents = modules.map((path) => `import ${JSON.stringify(`./${path}`)};`).join('\n');
  const content = bundle(folder, contents, {
    banner: { js: 'var siteScript=document.currentScript.src;' },
    define: { 'import.meta.url': 'siteScript' },
  });
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return { path: `_astro/site.${hash}.js`, content };
}

/** Pagefind with its whole index as one script, which sets `folderSearch`. */
export function folderSearch(folder: string): DocsFile {
  const root = join(folder, 'pagefind');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'));
  const files = paths
    .sort()
    .filter(isIndex)
    .map((path) => [path, readFileSync(join(root, path), 'base64')] as const);
  const content = bundle(folder, "export * from './pagefind/pagefind.js';", {
    globalName: 'folderSearch',
    inject: [embeddedFetch],
    banner: { js: `var embeddedFiles=${JSON.stringify(Object.fromEntries(files))};` },
    define: {
      'import.meta.url': '"folder:/pagefind/pagefind.js"',
      Worker: 'undefined',
    },
  });
  return { path: 'pagefind/folder-search.js', content, folderOnly: true };
}

function bundle(resolveDir: string, contents: string, options: BuildOptions): Buffer {
  const { outputFiles } = buildSync({
    ...options,
    stdin: { contents, resolveDir },
    bundle: true,
    format: 'iife',
    minify: true,
    write: false,
    logLevel: 'error',
  });
  return Buffer.concat(outputFiles.map((file) => file.contents));
}
