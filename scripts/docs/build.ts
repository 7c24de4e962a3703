import { readFileSync } from 'node:fs';
import { documentOf } from '../../contract/document/index.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { contractChangelogFile } from '../release/changelog.ts';
import { renderPage } from './page.ts';
import { renderSite } from './render-site.ts';
import { writeDocs, type DocsFile } from './write.ts';
import { upgrade } from '@scalar/openapi-upgrader';
import { stringify } from 'yaml';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

/** Renders the documentation of the current document, and writes it below a folder. Run it in the project's folder. */
export async function buildDocs(folder: string) {
  const raw = readDocument();
  return writeDocs(folder, [...(await renderSite(documentOf(raw))), ...referenceFiles(), await postmanFile(raw)]);
}

/** The reference, which is a self-contained page, the document in its editions, and its collections. */
export function referenceFiles(): DocsFile[] {
  const document = readDocument();
  const changelog = readFileSync(contractChangelogFile, 'utf8');
  const { html, policy } = renderPage({ document, changelog });
  const journeys = 'journeys.arazzo.yaml';
  return [
    { path: 'reference.html', content: Buffer.from(html), policy },
    ...editionsOf(document),
    { path: journeys, address: `/${journeys}`, content: readFileSync(`openapi/${journeys}`) },
  ];
}

function readDocument(): RawDocument {
  return JSON.parse(readFileSync('generated/openapi.json', 'utf8')) as RawDocument;
}

/**
 * Every edition of the document, as YAML and as JSON, written from the bundle, because some generators cannot read the
 * anchors of the authored YAML. An edition in OpenAPI 3.1 is converted from it.
 */
export function editionsOf(document: object): DocsFile[] {
  const latest = upgrade(structuredClone(document) as Record<string, unknown>, '3.1');
  return [...formsOf('openapi', document), ...formsOf('openapi-3.1', withSingleExamples(latest))];
}

function formsOf(name: string, document: object): DocsFile[] {
  const [yaml, json] = [`${name}.yaml`, `${name}.json`];
  return [
    // Most programs read YAML 1.1, which parses `no` as a boolean and an unquoted time as a date. A folded block would
    // have a blank line after each line.
    {
      path: yaml,
      address: `/${yaml}`,
      content: Buffer.from(stringify(document, { version: '1.1', lineWidth: 120, blockQuote: 'literal' })),
    },
    { path: json, address: `/${json}`, content: Buffer.from(`${JSON.stringify(document, null, 2)}\n`) },
  ];
}

/** Restores each `example`, still valid in OpenAPI 3.1: the upgrade makes `examples` of it, which Dredd does not read. */
function withSingleExamples<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSingleExamples) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) =>
      key === 'examples' && isSingle(item) ? ['example', item.default.value] : [key, withSingleExamples(item)],
    ),
  ) as T;
}

function isSingle(value: unknown): value is { default: { value: unknown } } {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'default') return false;
  const { default: only } = value as { default: unknown };
  return typeof only === 'object' && only !== null && Object.keys(only).join() === 'value';
}

type Convert = (
  input: { type: 'json'; data: object },
  options: object,
  done: (error: Error | null, outcome: { result: boolean; reason?: string; output?: { data: object }[] }) => void,
) => void;

const { convertV2 } = createRequire(import.meta.url)('openapi-to-postmanv2') as { convertV2: Convert };

const options = { folderStrategy: 'Tags', requestParametersResolution: 'Example', parametersResolution: 'Example' };

/** The document's requests as a collection for Postman, whose credentials are empty variables. */
export async function postmanFile(document: RawDocument): Promise<DocsFile> {
  const { result, reason, output } = await promisify(convertV2)(
    { type: 'json', data: atOneAddress(document) },
    options,
  );
  const [converted] = output ?? [];
  if (!result || !converted) throw new Error(`No Postman collection can be made of the document: ${reason ?? ''}`);
  // The converter makes new ids each time, and nothing refers to them.
  const text = JSON.stringify(
    converted.data,
    (key, value: unknown) => (key === 'id' || key === '_postman_id' ? undefined : value),
    2,
  );
  const path = 'collections/postman.json';
  return { path, address: `/docs/${path}`, content: Buffer.from(`${text}\n`) };
}

/** Without servers at paths: Postman uses one address, and the first server has every operation. */
function atOneAddress(document: RawDocument): RawDocument {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths ?? {})) delete item.servers;
  return copy;
}
