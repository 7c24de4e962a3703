import { createHash } from 'node:crypto';

/** A page that is ready to be published. */
export interface FinishedPage {
  readonly html: string;
  /** The page's content security policy, which is also in the page itself for hosts that do not send it. */
  readonly policy: string;
}

const module = /<script type="module" src="\/([^"]*)"><\/script>/g;

/** The modules that the generator's pages load, without duplicates. */
export function modulesOf(pages: readonly string[]): string[] {
  return [...new Set(pages.flatMap((html) => [...html.matchAll(module)].map(([, path = '']) => path)))].sort();
}

/**
 * Makes a page work wherever its folder is published, even without a server: it loads one script instead of its
 * modules, and gets a content security policy by hash.
 * @throws {Error} if the page does not begin with its charset
 */
export function finishPage(html: string, path: string, script: string): FinishedPage {
  const up = '../'.repeat(path.split('/').length - 1);
  const loading = html.replaceAll(module, '').replace('</head>', `<script defer src="/${script}"></script></head>`);
  const relative = accessible(loading).replaceAll(
    /(\s(?:href|src)=")\/(?!\/)([^"]*)/g,
    (_, attribute: string, target: string) => `${attribute}${up}${target === '' ? 'index.html' : target}`,
  );
  const policy = policyOf(relative);
  const charset = /<meta charset="utf-8"\s*\/?>/i;
  if (!charset.test(relative)) throw new Error(`The page ${path} does not begin with its charset.`);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return { html: relative.replace(charset, (found) => `${found}${meta}`), policy };
}

/**
 * Accessibility that Markdown cannot express. A wide table scrolls in a narrow window, and can be scrolled with the
 * keyboard only if it is focusable; an empty cell is not a heading; a code in a title breaks after its dots.
 */
function accessible(html: string): string {
  return html
    .replaceAll(/<table>(?=\s*<thead>\s*<tr>(?:\s*<th[^>]*>(?:(?!<\/tr>)[^])*?<\/th>){5})/g, '<table tabindex="0">')
    .replaceAll(/<th[^>]*><\/th>/g, '<td></td>')
    .replace(/(?<=<h1[^>]*>)[^<]*/, (title) => title.replaceAll(/\.(?=\w)/g, '.<wbr>'));
}

/** `wasm-unsafe-eval` allows the search to compile WebAssembly, but no script. */
function policyOf(html: string): string {
  const scripts = hashes(html, /<script\b(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g);
  const styles = hashes(html, /<style\b[^>]*>([^]*?)<\/style>/g);
  const attributes = hashes(html, /\sstyle="([^"]*)"/g, decode);
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...scripts].join(' '),
    ["style-src 'self'", ...(attributes.length > 0 ? ["'unsafe-hashes'"] : []), ...styles, ...attributes].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hashes(html: string, pattern: RegExp, textOf = (text: string) => text): string[] {
  const texts = new Set([...html.matchAll(pattern)].map(([, text = '']) => textOf(text)));
  return [...texts].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

function decode(attribute: string): string {
  return attribute.replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
