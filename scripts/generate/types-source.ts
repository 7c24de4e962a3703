import openapiTS, { astToString } from 'openapi-typescript';

/** The types of a bundled document. */
export async function typesSource(bundle: string): Promise<string> {
  return astToString(await openapiTS(bundle));
}
