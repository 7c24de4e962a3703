import { createRequire } from 'node:module';
import type { PostmanCollection } from './postman.ts';

/** The parts of Bruno's export format that are used here. */
export interface BrunoCollection {
  readonly name: string;
  readonly items: readonly object[];
  readonly environments: readonly object[];
  readonly root: { request: { vars: object } };
}

const { postmanToBruno } = createRequire(import.meta.url)('@usebruno/converters') as {
  postmanToBruno: (collection: PostmanCollection) => Promise<{ collection: BrunoCollection }>;
};

const secrets = ['apiKey', 'accessToken'];

/**
 * A collection for Bruno. Its variables are in an environment, in which Bruno stores the credentials as secrets,
 * outside of the files.
 */
export async function brunoCollection(postman: PostmanCollection): Promise<BrunoCollection> {
  const { collection } = await postmanToBruno(postman);
  const variables = postman.variable.map(({ key, value }) => ({
    name: key,
    value,
    type: 'text',
    enabled: true,
    secret: secrets.includes(key),
  }));
  const root = { ...collection.root, request: { ...collection.root.request, vars: {} } };
  return withoutIds({ ...collection, root, environments: [{ name: 'API', variables }] });
}

/** Removes the ids, as Bruno's export does: an import assigns new ones. */
function withoutIds<T>(collection: T): T {
  const isId = (key: string) => key === 'uid' || key === 'itemUid';
  return JSON.parse(JSON.stringify(collection, (key, value: unknown) => (isId(key) ? undefined : value))) as T;
}
