import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { RawDocument } from '../../contract/document/raw.ts';
import type { DocsFile } from './write.ts';

type Convert = (
  input: { type: 'json'; data: object },
  options: object,
  done: (error: Error | null, outcome: { result: boolean; reason?: string; output?: { data: object }[] }) => void,
) => void;

const { convertV2 } = createRequire(import.meta.url)('openapi-to-postmanv2') as { convertV2: Convert };

const options = {
  folderStrategy: 'Tags',
  requestParametersResolution: 'Example',
  parametersResolution: 'Example',
};

/**
 * The document's requests as a collection for Postman. Its credentials are variables, which are empty.
 * @throws {Error} if the document cannot be converted
 */
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
