import openapiTS, { astToString } from 'openapi-typescript';
import type { ApiDocument } from '../../contract/document/index.ts';
import { clientSource } from './client-source.ts';
import { errorsSource } from './errors-source.ts';
import { handlersSource } from './handlers-source.ts';
import { operationsSource } from './operations-source.ts';

const notice = '// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.\n\n';

/** The sources that are generated from the document, by file: those of the server and of the client. */
export async function sourcesOf(document: ApiDocument, bundle: string): Promise<Record<string, string>> {
  const client = clientSource(document);
  const types = astToString(await openapiTS(bundle, { readWriteMarkers: true }));
  const sources = {
    'generated/types.ts': types,
    'generated/operations.ts': operationsSource(document),
    'generated/errors.ts': errorsSource(document),
    'client/generated/types.ts': types,
    'client/generated/client.ts': client['client.ts'],
    'client/generated/schemas.ts': client['schemas.ts'],
    'src/api/operations/index.ts': handlersSource(document),
  };
  return Object.fromEntries(Object.entries(sources).map(([file, source]) => [file, notice + source]));
}
