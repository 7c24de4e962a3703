import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Eta } from 'eta';
import type { RawDocument } from '../../contract/document/raw.ts';
import { baseAddressesOf, regionalDocument, regionsOf } from './regional-document.ts';
import { guideLinks } from './guides.ts';
import { hashOf, policyOf } from './policy.ts';
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
function redocScript(): string {
  const [source = '', licence = '', licencesOfParts = ''] = [bundle, ...licences].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const changed = changes.reduce((text, [pattern, replacement]) => {
    if (text.match(pattern)?.length === 1) return text.replace(pattern, replacement);
    throw new Error(
      `This version of Redoc does not hold ${pattern.source} once: see what scripts/docs/page.ts changes.`,
    );
  }, source);
  return `/*!\nRedoc\n\n${licence}*/\n\n${licencesOfParts}\n${changed}`;
}

const template = readFileSync(fileOf('page.eta'), 'utf8');
const style = ['page.css', 'header.css'].map((name) => readFileSync(fileOf(name), 'utf8')).join('\n');
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%231f5fbf' " +
  "d='M3 0h7l4 4v12H3z'/%3E%3Cpath stroke='%23fff' stroke-width='1.5' d='M5.500 7h6M5.500 10h6M5.500 13h4'/%3E%3C/svg%3E";

/**
 * Renders the documentation as a self-contained page, with its content security policy, which is also in the page itself for
 * readers who open it as a file.
 * @param changelog openapi/CHANGELOG.md
 * @param preview if the page reloads itself when its sources change; its problems are shown to the reader
 */
export function renderPage(
  { document, changelog }: { document: RawDocument; changelog: string },
  preview?: { problems: string },
): { html: string; policy: string } {
  const browserScripts = ['main.ts', ...(preview ? ['reload.ts'] : [])].map(browserScript);
  const scripts = [redocScript(), ...browserScripts].map(embeddable);
  const policy = policyOf({
    'script-src': scripts.map(hashOf),
    // styled-components inserts the empty style sheet, and fills it through the CSSOM, which policies do not restrict.
    'style-src': ['', style].map(hashOf),
    'img-src': ['data:'],
    // Redoc's search, a worker that it creates from its own code.
    'worker-src': ['blob:'],
    ...(preview && { 'connect-src': ["'self'"] }),
  });
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
