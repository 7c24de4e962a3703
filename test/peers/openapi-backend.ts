import { readFile } from 'node:fs/promises';
import addFormats from 'ajv-formats';
import { OpenAPIBackend, type Document, SetMatchType } from 'openapi-backend';
import { followHappyPaths, type Received } from './happy-paths.ts';
import { documentFile, type Peer } from './peer.ts';

/** `validateResponse` and `validateResponseHeaders` of openapi-backend, on the responses that a plain client gets. */
export const openapiBackend: Peer = {
  name: 'openapi-backend',
  title: "openapi-backend's validation of responses and headers, in a plain client",
  packages: ['node_modules/openapi-backend'],
  written: ['test/peers/happy-paths.ts', 'test/peers/openapi-backend.ts'],
  judge: async ({ credentials }) => {
    const definition = JSON.parse(await readFile(documentFile, 'utf8')) as Document;
    const api = new OpenAPIBackend({ definition, customizeAjv: (ajv) => addFormats.default(ajv) });
    await api.init();
    const judge = ({ operationId, status: statusCode, headers, body }: Received) => {
      const { errors } = api.validateResponse(body, operationId, statusCode);
      const setMatchType = SetMatchType.Superset;
      const ofHeaders = api.validateResponseHeaders(headers, operationId, { statusCode, setMatchType }).errors;
      const [first] = [...(errors ?? []), ...(ofHeaders ?? [])];
      return first && `${first.instancePath} ${first.message ?? first.keyword}`.trim();
    };
    return followHappyPaths(credentials.base_url, credentials, judge);
  },
};
