/**
 * Fastify with fastify-openapi-glue on the same document, its own validation and serialiser, and everything enabled.
 * The store is a parameter, to separate the cost of the framework from that of the store.
 */
import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyReply, type FastifyRequest, type FastifyServerFactory } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { type OperationId, operations } from '../../../generated/operations.ts';
import type { CredentialKind } from '../../../src/domain/secret.ts';
import { type CallerWithRights, challenge } from './authenticate.ts';
import { readDocumentWithoutNullExtensions } from './document.ts';
import { environment, rateLimitWindowMilliseconds, unreachableLimit } from './environment.ts';
import { type CompletedRequest, createLogger } from './log.ts';
import { invalidBodyOf, refusalBody } from './refusals.ts';
import { cacheControl, helmetOptions } from './security-headers.ts';
import type { SettingChange } from './store.ts';

type Awaitable<T> = T | Promise<T>;

/** The store's interface for Fastify. */
export interface FastifyStore {
  findCaller(headers: IncomingHttpHeaders, kind: CredentialKind): Awaitable<CallerWithRights | undefined>;
  readSetting(organisationId: string): Awaitable<boolean>;
  changeSetting(change: SettingChange): Awaitable<unknown>;
  /** Sends the case; false if the organisation has no such case. */
  sendCase(organisationId: string, caseId: string, reply: FastifyReply): Awaitable<boolean>;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: CallerWithRights | undefined;
  }
}

/** Serves with a store until the process ends; `serverFactory` replaces Fastify's own HTTP server. */
export async function serveWithFastify(store: FastifyStore, serverFactory?: FastifyServerFactory): Promise<void> {
  const logger = createLogger();
  const app = fastify({
    ...(serverFactory && { serverFactory }),
    loggerInstance: logger,
    // One line per response, like the program itself, instead of Fastify's two, and no logger per request.
    disableRequestLogging: true,
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    requestIdHeader: 'x-request-id',
    bodyLimit: 16 * 1024,
    ajv: { customOptions: { allErrors: true, removeAdditional: false, coerceTypes: false, strict: false } },
  });

  const operationOf = ({ routeOptions }: FastifyRequest) => {
    const { operationId } = (routeOptions.schema ?? {}) as { operationId?: OperationId };
    return operationId && { operationId, ...operations[operationId] };
  };
  const kindOf = (operation: ReturnType<typeof operationOf>) =>
    operation?.security[0]?.[0] === 'accessToken' ? 'access-token' : 'api-key';

  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
    reply.header('Cache-Control', cacheControl);
    const operation = operationOf(request);
    if (operation) request.caller = await store.findCaller(request.headers, kindOf(operation));
  });
  await app.register(helmet, { ...helmetOptions, global: true });
  await app.register(rateLimit, {
    global: true,
    max: unreachableLimit,
    timeWindow: rateLimitWindowMilliseconds,
    cache: 10_000,
    enableDraftSpec: true,
    keyGenerator: (request) => request.caller?.credentialId ?? request.ip,
  });
  // After the rate limit, which is a hook of each route, and before the body is read.
  app.addHook('preParsing', (request, reply, _payload, next) => {
    const operation = operationOf(request);
    const { caller } = request;
    if (!caller) {
      void reply.code(401).header('WWW-Authenticate', challenge(kindOf(operation)));
      void reply.send(refusalBody('request.authentication.invalid-token'));
    } else if (operation?.requiredPermission && !caller.permissions.includes(operation.requiredPermission))
      void reply.code(403).send(refusalBody('request.forbidden'));
    else if (operation?.requiredFeature && !caller.features.includes(operation.requiredFeature))
      void reply.code(403).send(refusalBody('request.organisations.feature-flag.not-enabled'));
    else next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    const completed: CompletedRequest = {
      requestId: request.id,
      method: request.method,
      operationId: operationOf(request)?.operationId,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      credentialId: request.caller?.credentialId,
    };
    logger.info(completed, 'request completed');
    next();
  });
  app.setErrorHandler((error: { validation?: Parameters<typeof invalidBodyOf>[0] }, _request, reply) => {
    if (error.validation) return reply.code(400).send(invalidBodyOf(error.validation, ''));
    logger.error({ err: error }, 'unexpected error');
    return reply.code(500).send(refusalBody('service.internal-error'));
  });

  const callerOf = ({ caller }: FastifyRequest): CallerWithRights => {
    if (!caller) throw new Error('Nobody was authenticated for this request.');
    return caller;
  };
  await app.register(openapiGlue, {
    specification: readDocumentWithoutNullExtensions(),
    serviceHandlers: {
      getVerificationSetting: async (request: FastifyRequest) => ({
        enabled: await store.readSetting(callerOf(request).organisationId),
      }),
      updateVerificationSetting: async (request: FastifyRequest) => {
        const { enabled } = request.body as { enabled: boolean };
        await store.changeSetting({ ...callerOf(request), enabled, requestId: request.id });
        return { enabled };
      },
      getCase: async (request: FastifyRequest, reply: FastifyReply) => {
        const { id } = request.params as { id: string };
        const sent = await store.sendCase(callerOf(request).organisationId, id.toLowerCase(), reply);
        if (!sent) reply.code(404).send(refusalBody('request.cases.case.not-found'));
        return reply;
      },
    },
  });
  await app.listen({ port: environment.port, host: '127.0.0.1' });
}
