import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { followHappyPaths } from './happy-paths.ts';
import { documentFile, type Peer } from './peer.ts';

/** `validateResponses` of express-openapi-validator, in a gateway between a plain client and the server. */
export const expressOpenapiValidator: Peer = {
  name: 'express-openapi-validator',
  title: "express-openapi-validator's validation of responses, in a gateway before a plain client",
  packages: ['node_modules/express-openapi-validator'],
  written: ['test/peers/happy-paths.ts', 'test/peers/express-openapi-validator.ts'],
  judge: async ({ credentials }) => {
    const app = express();
    app.use(express.json());
    app.use(middleware({ apiSpec: documentFile, validateRequests: true, validateResponses: true }));
    app.use(async ({ method, originalUrl, headers, body }, response) => {
      const { 'x-api-key': key, authorization } = headers;
      const received = await fetch(`${credentials.base_url}${originalUrl}`, {
        method,
        headers: {
          ...(typeof key === 'string' && { 'x-api-key': key }),
          ...(authorization !== undefined && { authorization }),
          ...(method === 'PUT' && { 'content-type': 'application/json' }),
        },
        ...(method === 'PUT' && { body: JSON.stringify(body) }),
      });
      const type = received.headers.get('content-type');
      if (type !== null) response.type(type);
      response.status(received.status).json(await received.json());
    });
    app.use(((error: Error & { status?: number }, _request, response, _next) => {
      response.status(error.status ?? 500).json({ message: error.message });
    }) satisfies ErrorRequestHandler);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      return await followHappyPaths(`http://127.0.0.1:${port}`, credentials);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};
