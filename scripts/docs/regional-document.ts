/**
 * The document for readers in one region. The authored document lists both regions' base addresses, and its samples are
 * for the first region. Redoc cannot switch servers, so the page contains one document per region.
 */
import type { RawDocument, RawOperation, RawServer } from '../../contract/document/raw.ts';
import { httpMethods } from '../../contract/document/model.ts';

const sampleKeys = ['x-codeSamples', 'example', 'examples'];

/**
 * The document for one region: with only that region's base addresses and samples, the caller's requirements in each
 * operation, without areas that have no operations, and with the contract's changelog after the description.
 */
export function regionalDocument(document: RawDocument, changelog: string, region: string): RawDocument {
  const [writtenFor = region] = regionsOf(document);
  const regional = withSamplesFor(region, writtenFor, document) as RawDocument;
  const here = (servers: RawServer[] = []) => servers.filter((server) => server['x-region'] === region);
  regional.servers = here(regional.servers);
  const used = new Set<string>();
  for (const item of Object.values(regional.paths ?? {})) {
    if (item.servers) item.servers = here(item.servers);
    for (const operation of httpMethods.flatMap((method) => item[method] ?? [])) {
      operation.description = (operation.description ?? '') + callersNeeds(operation, item.servers ?? regional.servers);
      for (const tag of operation.tags ?? []) used.add(tag);
    }
  }
  // Redoc would show an empty section for an area without operations.
  if (regional.tags) regional.tags = regional.tags.filter(({ name }) => used.has(name));
  const changes = changelog.replace(/^## Unreleased\s+(?=## )/m, '').replaceAll(/^#+ /gm, '#$&');
  regional.info.description = `${regional.info.description ?? ''}\n\n${changes}`;
  return regional;
}

/** Copies the document with another region in its samples: in host names, realms and quoted values. */
function withSamplesFor(region: string, writtenFor: string, value: unknown, inSample = false): unknown {
  if (typeof value === 'string') {
    const name = new RegExp(`(?<=[.\\-'"])${writtenFor}(?=[.'"])`, 'g');
    return inSample ? value.replaceAll(name, region) : value;
  }
  if (Array.isArray(value)) return value.map((item) => withSamplesFor(region, writtenFor, item, inSample));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withSamplesFor(region, writtenFor, item, inSample || sampleKeys.includes(key)),
    ]),
  );
}

function callersNeeds(operation: RawOperation, servers: RawServer[]): string {
  const needs = {
    'Base address': servers.map(({ url }) => url),
    Permission: [operation['x-required-permission'] ?? []].flat(),
    Feature: [operation['x-required-feature'] ?? []].flat(),
  };
  const lines = Object.entries(needs).map(
    ([name, values]) => `- **${name}**: ${values.map((value) => `\`${value}\``).join(', ') || 'none'}`,
  );
  return `\n\n${lines.join('\n')}`;
}

export function regionsOf({ servers = [] }: RawDocument): string[] {
  return [...new Set(servers.flatMap((server) => server['x-region'] ?? []))];
}
