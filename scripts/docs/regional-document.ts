/**
 * The document for readers in one region. The authored document lists both regions' base addresses, and its samples are
 * for the first region. Redoc cannot switch servers, so the page contains one document per region.
 */
import type { RawDocument, RawOperation, RawResponse, RawServer } from '../../contract/document/raw.ts';
import { httpMethods } from '../../contract/document/model.ts';
import { isDeepStrictEqual } from 'node:util';

const sampleKeys = ['x-codeSamples', 'example', 'examples'];

/**
 * The document for one region. It has only that region's base addresses, and names the region in its samples. It adds
 * the caller's requirements to each operation, removes areas without operations, and appends the contract's changelog
 * to the description.
 */
export function regionalDocument(document: RawDocument, changelog: string, region: string): RawDocument {
  const [writtenFor = region] = regionsOf(document);
  const regional = withSamplesFor(region, writtenFor, document) as RawDocument;
  const here = (servers: RawServer[] = []) => servers.filter((server) => server['x-region'] === region);
  regional.servers = here(regional.servers);
  for (const item of Object.values(regional.paths ?? {})) if (item.servers) item.servers = here(item.servers);
  const used = new Set<string>();
  for (const { operation, servers } of operationsOf(regional)) {
    operation.description = (operation.description ?? '') + callersNeeds(operation, servers);
    showOwnHeaders(regional, operation);
    for (const tag of operation.tags ?? []) used.add(tag);
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

/** Every operation of a document with its base addresses. Throws if the document has no paths (yet). */
export function operationsOf(document: RawDocument): { operation: RawOperation; servers: RawServer[] }[] {
  if (!document.paths) throw new Error('it has no paths');
  return Object.values(document.paths).flatMap((item) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ operation, servers: item.servers ?? document.servers ?? [] }] : [];
    }),
  );
}

/** The regions of a document, in their order. */
export function regionsOf({ servers = [] }: RawDocument): string[] {
  return [...new Set(servers.flatMap((server) => server['x-region'] ?? []))];
}

/** The base addresses of a region, each with the areas (tags) of its operations. */
export function baseAddressesOf(document: RawDocument, region: string): { url: string; areas: string[] }[] {
  const areas = new Map<string, Set<string>>();
  for (const { operation, servers } of operationsOf(document))
    for (const server of servers)
      if (server['x-region'] === region)
        areas.set(server.url, new Set([...(areas.get(server.url) ?? []), ...(operation.tags ?? [])]));
  return [...areas].map(([url, tags]) => ({ url, areas: [...tags] }));
}

type Reference = { $ref?: string };

/**
 * Keeps only those headers of each error response that the operation's success does not have, and adds a note to its
 * description. Redoc shows every header of every response in full, which would hide the few that differ.
 */
export function showOwnHeaders(document: RawDocument, operation: RawOperation): void {
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, response]) => [status, resolve(document, response)] as const,
  );
  const [success, { headers: common = {} } = {}] = responses.find(([status]) => status.startsWith('2')) ?? [];
  if (success === undefined) return;
  operation.responses = Object.fromEntries(
    responses.map(([status, response]) => [status, status === success ? response : without(common, response, success)]),
  );
}

function without(common: NonNullable<RawResponse['headers']>, response: RawResponse, success: string): RawResponse {
  const all = Object.entries(response.headers ?? {});
  const own = all.filter(([name, header]) => !isDeepStrictEqual(header, common[name]));
  if (own.length === all.length) return response;
  const description = `${response.description ?? ''} This response has the headers of ${success}${own.length > 0 ? ', and these:' : '.'}`;
  return { ...response, description, headers: Object.fromEntries(own) };
}

function resolve(document: RawDocument, response: RawResponse & Reference): RawResponse {
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : (document.components?.responses?.[name] ?? response);
}
