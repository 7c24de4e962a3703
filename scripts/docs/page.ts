import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Eta } from 'eta';
import type { RedocRawOptions } from 'redoc/typings/services/RedocNormalizedOptions.js';
import type { RawDocument } from '../../contract/document/raw.ts';
import { regionalDocument, regionsOf } from './regional-document.ts';
import { hashOf, policyOf } from './policy.ts';
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
 * Redoc's bundle, prepared for inlining, with the licences of all of its parts.
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
const style = readFileSync(fileOf('page.css'), 'utf8');
const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(fileOf('site/public/favicon.svg'), 'utf8'))}`;

/** Successes and their schemas are expanded, errors collapsed. */
const redocOptions: RedocRawOptions = {
  downloadUrls: [
    { title: 'openapi.yaml', url: 'openapi.yaml' },
    { title: 'openapi.json', url: 'openapi.json' },
  ],
  expandResponses: '200,201,202,204',
  hideLoading: true,
  jsonSamplesExpandLevel: 'all',
  nativeScrollbars: true,
  schemasExpansionLevel: 'all',
  scrollYOffset: 'header',
  theme: {
    // Redoc's own grey has too little contrast on the background of a nested schema.
    schema: { typeNameColor: '#555' },
    sidebar: { backgroundColor: 'transparent' },
  },
};

/**
 * Renders the documentation as a self-contained page. Its content security policy is also in the page, for readers who
 * open it as a file.
 * @param changelog openapi/CHANGELOG.md
 * @param preview the script that reloads the page when its sources change, and the problems that are shown to the
 *   reader
 */
export function renderPage(
  { document, changelog }: { document: RawDocument; changelog: string },
  preview?: { script: string; problems: string },
): { html: string; policy: string } {
  const scripts = [redocScript(), browserScript(), ...(preview ? [preview.script] : [])].map(embeddable);
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
    regions,
    data: [
      { name: 'options', json: toJson(redocOptions) },
      ...regions.map((region) => ({
        name: `document-${region}`,
        json: toJson(regionalDocument(document, changelog, region)),
      })),
    ],
  });
  return { html, policy };
}

function browserScript(): string {
  const entryPoints = [fileURLToPath(fileOf('browser/main.ts'))];
  return buildSync({ entryPoints, bundle: true, minify: true, write: false }).outputFiles[0]?.text ?? '';
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
