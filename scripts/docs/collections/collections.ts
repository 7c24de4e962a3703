import { stringify } from 'yaml';
import type { RawDocument } from '../../../contract/document/raw.ts';
import type { PublishedFile } from '../published-file.ts';
import { brunoCollection } from './bruno.ts';
import { insomniaCollection } from './insomnia.ts';
import { postmanCollection } from './postman.ts';

/** The document's requests as collections that Postman, Bruno and Insomnia import. */
export async function collectionsOf(document: RawDocument): Promise<PublishedFile[]> {
  const postman = await postmanCollection(document);
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  return [
    published('postman.json', json(postman)),
    published('bruno.json', json(await brunoCollection(postman))),
    published('insomnia.yaml', stringify(insomniaCollection(postman), { lineWidth: 120 })),
  ];
}

function published(name: string, text: string): PublishedFile {
  return { path: `/docs/collections/${name}`, file: `collections/${name}`, text };
}
