import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ApiDocument } from '../../contract/document/model.ts';
import { prepareSite } from './site-project.ts';
import { hashOf, policyOf } from './policy.ts';
import type { DocsFile } from './write.ts';

/**
 * Makes the links of a page relative, so that it works below any path, and adds a content security policy with hashes.
 * @throws {Error} if the page does not begin with its charset
 */
function finishPage(html: string, path: string): { html: string; policy: string } {
  const up = '../'.repeat(path.split('/').length - 1);
  const relative = accessible(html).replaceAll(
    /(\s(?:href|src)=")\/(?!\/)([^"]*)/g,
    (_, attribute: string, target: string) => `${attribute}${up}${target === '' ? 'index.html' : target}`,
  );
  const policy = sitePolicy(relative);
  const charset = /<meta charset="utf-8"\s*\/?>/i;
  if (!charset.test(relative)) throw new Error(`The page ${path} does not begin with its charset.`);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return { html: relative.replace(charset, (found) => `${found}${meta}`), policy };
}

/**
 * Accessibility that Markdown cannot express. A table that scrolls must be focusable for keyboard users; an empty cell
 * is not a heading; a code in a title breaks after its dots.
 */
function accessible(html: string): string {
  return html
    .replaceAll('<table>', '<table tabindex="0">')
    .replaceAll(/<th[^>]*><\/th>/g, '<td></td>')
    .replace(/(?<=<h1[^>]*>)[^<]*/, (title) => title.replaceAll(/\.(?=\w)/g, '.<wbr>'));
}

/** `wasm-unsafe-eval` allows the search to compile WebAssembly, but no script. */
function sitePolicy(html: string): string {
  const hashes = (pattern: RegExp, textOf = (text: string) => text) => [
    ...new Set([...html.matchAll(pattern)].map(([, text = '']) => hashOf(textOf(text)))),
  ];
  const attributes = hashes(/\sstyle="([^"]*)"/g, decode);
  return policyOf({
    'script-src': ["'self' 'wasm-unsafe-eval'", ...hashes(/<script\b(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)],
    'style-src': [
      "'self'",
      ...(attributes.length > 0 ? ["'unsafe-hashes'"] : []),
      ...hashes(/<style\b[^>]*>([^]*?)<\/style>/g),
      ...attributes,
    ],
    'img-src': ["'self' data:"],
    'connect-src': ["'self'"],
    'worker-src': ["'self'"],
  });
}

function decode(attribute: string): string {
  return attribute.replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

const renderer = fileURLToPath(new URL('site/render.ts', import.meta.url));
const run = promisify(execFile);

/** A worker has the policy that its own script is sent with: this one reads the index with WebAssembly. */
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Renders the site: its pages, styles, scripts and search index. Throws with the output of the generator. */
export async function renderSite(document: ApiDocument): Promise<DocsFile[]> {
  const folder = await prepareSite(document);
  try {
    const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    await run(process.execPath, ['--no-warnings', renderer, folder], { cwd: folder, env });
    return filesOf(join(folder, 'dist'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filesOf(folder: string): DocsFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  return (
    paths
      .sort()
      // Pagefind adds interfaces of its own to its index, but Starlight brings the one that it uses.
      .filter((path) => !/^pagefind\/pagefind-(ui|modular-ui|component-ui|highlight)\./.test(path))
      .map((path) => {
        const content = readFileSync(join(folder, path));
        if (path === 'pagefind/pagefind-worker.js') return { path, content, policy: workerPolicy };
        if (!path.endsWith('.html')) return { path, content };
        const { html, policy } = finishPage(content.toString(), path);
        return { path, content: Buffer.from(html), policy };
      })
  );
}
