import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folderSearch, siteScript } from './classic-scripts.ts';
import { finishPage, modulesOf } from './finish-page.ts';
import { prepareSite, type SiteSources } from './site-project.ts';
import type { DocsFile } from './write.ts';

const renderer = fileURLToPath(new URL('site/render.ts', import.meta.url));
const run = promisify(execFile);

/** A worker has the policy that its own script is sent with: this one reads the index with WebAssembly. */
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/**
 * Renders the site: its pages, styles, scripts and search index.
 * @throws {Error} with the output of the generator if it fails
 */
export async function renderSite(sources: SiteSources): Promise<DocsFile[]> {
  const project = await prepareSite(sources);
  try {
    const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    await run(process.execPath, ['--no-warnings', renderer, project.folder], { cwd: project.folder, env });
    return filesOf(join(project.folder, 'dist'));
  } finally {
    project.remove();
  }
}

function filesOf(folder: string): DocsFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const pages = paths.filter((path) => path.endsWith('.html'));
  const script = siteScript(folder, modulesOf(pages.map((path) => readFileSync(join(folder, path), 'utf8'))));
  const files = paths
    .sort()
    .filter(isUsed)
    .map((path) => {
      const content = readFileSync(join(folder, path));
      if (path === 'pagefind/pagefind-worker.js') return { path, content, policy: workerPolicy };
      if (!path.endsWith('.html')) return { path, content };
      const { html, policy } = finishPage(content.toString(), path, script.path);
      return { path, content: Buffer.from(html), policy };
    });
  return [...files, script, folderSearch(folder)];
}

/**
 * Pagefind adds three interfaces of its own to its index, but Starlight brings the one that it uses. The modules are in
 * the script of the site.
 */
function isUsed(path: string): boolean {
  return !/^pagefind\/pagefind-(ui|modular-ui|component-ui|highlight)\.|^_astro\/.*\.js$/.test(path);
}
