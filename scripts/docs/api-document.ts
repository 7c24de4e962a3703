/** What the documentation reads of the document as it is written: it shows that, with references, and not a model of it. */
import { httpMethods } from '../../contract/document/model.ts';
import type { RawDocument, RawOperation, RawServer } from '../../contract/document/raw.ts';

/** Every operation of a document with the base addresses that it is called at. */
export function operationsOf(document: RawDocument): { operation: RawOperation; servers: RawServer[] }[] {
  return Object.values(document.paths ?? {}).flatMap((item) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ operation, servers: item.servers ?? document.servers ?? [] }] : [];
    }),
  );
}

/** The regions of a document, in its order. */
export function regionsOf({ servers = [] }: RawDocument): string[] {
  return [...new Set(servers.flatMap((server) => server['x-region'] ?? []))];
}

/** The base addresses of one region, each with the areas (tags) whose operations are called at it. */
export function baseAddressesOf(document: RawDocument, region: string): { url: string; areas: string[] }[] {
  const areas = new Map<string, Set<string>>();
  for (const { operation, servers } of operationsOf(document))
    for (const server of servers)
      if (server['x-region'] === region)
        areas.set(server.url, new Set([...(areas.get(server.url) ?? []), ...(operation.tags ?? [])]));
  return [...areas].map(([url, tags]) => ({ url, areas: [...tags] }));
}
