/**
 * `npm run generate`: writes all that follows from openapi/openapi.yaml. A document that cannot be served is refused.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { documentOf } from '../../contract/document/index.ts';
import { clientSource } from './client-source.ts';
import { errorsSource } from './errors-source.ts';
import { handlersSource } from './handlers-source.ts';
import { operationsSource } from './operations-source.ts';

const notice = '// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.\n\n';
const bundle = readFileSync('generated/openapi.json', 'utf8');
const document = documentOf(JSON.parse(bundle) as object);

for (const [, reference = ''] of bundle.matchAll(/"\$ref": "([^"]*)"/g))
  if (!/^#\/components\/\w+\/[^/]+$/.test(reference))
    throw new Error(`${reference}: only whole components can be referred to; Dredd and the validator know no others`);

writeFileSync('contract/generated/openapi.json', bundle);
const client = clientSource(document);
const types = astToString(await openapiTS(bundle));
for (const [file, source] of Object.entries({
  'generated/types.ts': types,
  'generated/operations.ts': operationsSource(document),
  'generated/errors.ts': errorsSource(document),
  'client/generated/types.ts': types,
  'client/generated/client.ts': client['client.ts'],
  'client/generated/schemas.ts': client['schemas.ts'],
  'src/api/operations/index.ts': handlersSource(document),
}))
  writeFileSync(file, notice + source);
