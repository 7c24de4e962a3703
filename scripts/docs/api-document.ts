/** The parts of the raw document that the documentation needs. It shows the document with references, not the model. */
import { httpMethods } from '../../contract/document/model.ts';
import type { RawDocument, RawOperation, RawServer } from '../../contract/document/raw.ts';

/**
 * Every operation of a document with its base addresses.
 * @throws {Error} if the document has no paths, as may happen while it is edited
 */
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
