/** What the documentation page reads of an OpenAPI document; all else is passed on as it is. */
export interface ApiDocument {
  info: { title: string; version: string; description: string };
  servers: Server[];
  paths: Record<string, PathItem>;
}

/** A base address; `x-region` is the region that it belongs to. */
export interface Server {
  url: string;
  'x-region': string;
}

/** A path with its operations under their methods, and base addresses of its own if it has them. */
export type PathItem = { servers?: Server[] } & Partial<Record<Method, Operation>>;

/** An operation. */
export interface Operation {
  tags: string[];
  description: string;
  'x-required-permission': string | null;
  'x-required-feature': string | null;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
type Method = (typeof methods)[number];

/** Every operation of a document with the base addresses that it is called at. */
export function operationsOf(document: ApiDocument): { operation: Operation; servers: Server[] }[] {
  return Object.values(document.paths).flatMap((item) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ operation, servers: item.servers ?? document.servers }] : [];
    }),
  );
}

/** The regions of a document, in its order. */
export function regionsOf({ servers }: ApiDocument): string[] {
  return [...new Set(servers.map((server) => server['x-region']))];
}

/** The base addresses of one region, each with the areas (tags) whose operations are called at it. */
export function baseAddressesOf(document: ApiDocument, region: string): { url: string; areas: string[] }[] {
  const areas = new Map<string, Set<string>>();
  for (const { operation, servers } of operationsOf(document))
    for (const server of servers)
      if (server['x-region'] === region)
        areas.set(server.url, new Set([...(areas.get(server.url) ?? []), ...operation.tags]));
  return [...areas].map(([url, tags]) => ({ url, areas: [...tags] }));
}
