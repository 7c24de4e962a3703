import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Eta } from 'eta';
import type { RawDocument } from '../../contract/document/raw.ts';
import { baseAddressesOf, regionalDocument, regionsOf } from './regional-document.ts';
import { guideLinks } from './guides.ts';
import { redocOptions } from './options.ts';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const bundle = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
const licences = [join(dirname(bundle), '../LICENSE'), `${bundle}.LICENSE.txt`];

/** Parts of Redoc that do not work in a page without requests and inline styles, with their replacements. */
const changes: [pattern: RegExp, replacement: string][] = [
  // The logo of its makers, loaded from their host. Without an image, their link shows only its text.
  [/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini\.svg/g, 'data:,'],
  // A style sheet for custom scroll bars; the option `nativeScrollbars` makes it unnecessary.
  [/\w\.push\(\[e\.id,"\.ps\{.*?sourceRoot:""\}\]\),/gs, ''],
  [/\n\/\/# sourceMappingURL=\S+\s*$/g, '\n'],
];

/**
 * Redoc's own bundle, prepared for inlining, with the licences of all of its parts.
 * @throws {Error} if the installed version is built differently, so that no unreviewed code is published
 */
export function redocScript(): string {
  const [source = '', licence = '', licencesOfParts = ''] = [bundle, ...licences].map((file) =>
    readFileSync(file, 'utf8'),
  );
  return `/*!\nRedoc\n\n${licence}*/\n\n${licencesOfParts}\n${changes.reduce(change, source)}`;
}

function change(source: string, [pattern, replacement]: (typeof changes)[number]): string {
  if (source.match(pattern)?.length !== 1)
    throw new Error(
      `This version of Redoc does not hold ${pattern.source} once: see what scripts/docs/page.ts changes.`,
    );
  return source.replace(pattern, replacement);
}

const template = readFileSync(fileOf('page.eta'), 'utf8');
const style = ['page.css', 'header.css'].map((name) => readFileSync(fileOf(name), 'utf8')).join('\n');
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%231f5fbf' " +
  "d='M3 0h7l4 4v12H3z'/%3E%3Cpath stroke='%23fff' stroke-width='1.5' d='M5.500 7h6M5.500 10h6M5.500 13h4'/%3E%3C/svg%3E";

/** The documentation as a self-contained page. */
export interface Page {
  readonly html: string;
  /** The page's content security policy, which is also in the page itself for readers who open it as a file. */
  readonly policy: string;
}

/** Sources of a page. */
export interface PageSources {
  readonly document: RawDocument;
  /** openapi/CHANGELOG.md. */
  readonly changelog: string;
}

/** A page that reloads itself when its sources change. */
export interface Preview {
  /** The faults of the sources, shown to the reader; empty if there are none. */
  readonly problems: string;
}

/** Renders the documentation. */
export function renderPage({ document, changelog }: PageSources, preview?: Preview): Page {
  const browserScripts = ['main.ts', ...(preview ? ['reload.ts'] : [])].map(browserScript);
  const scripts = [redocScript(), ...browserScripts].map(embeddable);
  const policy = [policyOf(scripts, ['', style]), ...(preview ? ["connect-src 'self'"] : [])].join('; ');
  const regions = regionsOf(document);
  const html = new Eta({ useWith: false }).renderString(template, {
    title: document.info.title,
    version: document.info.version,
    icon,
    style,
    policy,
    scripts,
    problems: preview?.problems,
    guides: guideLinks('.'),
    regions: regions.map((region) => ({ region, addresses: baseAddressesOf(document, region) })),
    data: [
      ...(['light', 'dark'] as const).map((theme) => ({ name: `options-${theme}`, json: toJson(redocOptions(theme)) })),
      ...regions.map((region) => ({
        name: `document-${region}`,
        json: toJson(regionalDocument(document, changelog, region)),
      })),
    ],
  });
  return { html, policy };
}

/**
 * Allows scripts and style sheets by hash. The empty style sheet is the one that styled-components inserts and fills
 * through the CSSOM, which policies do not restrict. `blob:` is Redoc's search, a worker that it creates from its own
 * code.
 */
function policyOf(scripts: string[], styles: string[]): string {
  const hashes = (texts: string[]) =>
    texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes(scripts)}`,
    `style-src ${hashes(styles)}`,
    'img-src data:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function browserScript(name: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(fileOf(`browser/${name}`))],
    bundle: true,
    minify: true,
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Makes a script safe to embed in a page: nothing in it ends the element or begins a comment. */
function embeddable(script: string): string {
  return script.replaceAll(/<(?=\/script|!--)/gi, '\\x3c');
}

function toJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function fileOf(name: string): URL {
  return new URL(name, import.meta.url);
}
