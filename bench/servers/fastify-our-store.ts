/**
 * Fastify on this server's store, with the HTTP server that passes on requests of the same moment together: they share
 * snapshots and commits as in this server, and large texts of cases are cached.
 */
import type { FastifyServerFactory } from 'fastify';
import { createServer } from '../../src/api/connections/server.ts';
import { principalsOf } from '../../src/api/steps/authenticate.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { presentedSecret } from './support/authenticate.ts';
import { environment } from './support/environment.ts';
import { serveWithFastify } from './support/fastify-app.ts';

const store = openSqliteStore(environment.databaseFile, true);
const findPrincipal = principalsOf('uk', store, { now: () => new Date() });

function requireRights(): never {
  throw new Error('The caller has lost the right to this write.');
}

await serveWithFastify(
  {
    findCaller: async (headers, kind) => {
      const secret = presentedSecret(headers, kind);
      const principal: Principal | undefined = secret === undefined ? undefined : await findPrincipal(secret, kind);
      return principal && { ...principal, permissions: [...principal.permissions], features: [...principal.features] };
    },
    readSetting: store.readVerificationSetting,
    changeSetting: ({ organisationId, credentialId, requestId, enabled }) => {
      const check = ([rights]: readonly unknown[]) => rights ?? requireRights();
      return store.authorisedBy({ callers: [{ credentialId, organisationId }], check }).updateVerificationSetting({
        organisationId,
        credentialId,
        requestId,
        enabled,
        occurredAt: new Date().toISOString(),
      });
    },
    sendCase: async (organisationId, caseId, reply) => {
      const text = await store.findCaseText(organisationId, caseId);
      if (!text) return false;
      reply.header('Content-Type', 'application/json');
      if (text.byteLength !== undefined) reply.header('Content-Length', text.byteLength);
      reply.hijack();
      reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      await text.sendTo(reply.raw);
      return true;
    },
  },
  ((handler) => createServer(handler)) as FastifyServerFactory,
);
