/** Fastify as its users write it: fastify-openapi-glue on the same document, Fastify's plugins, and a store of its own. */
import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { type OperationId, operations } from '../../generated/operations.ts';
import * as peer from '../peers/peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: peer.Caller | undefined;
  }
}

interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
}

const logger = peer.createLogger();
const app = fastify({
  loggerInstance: logger,
  // One line a response, like the program itself, instead of Fastify's two, and no logger for each request.
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
app.addHook('onRequest', (request, reply, next) => {
  reply.header('X-Request-Id', request.id);
  reply.header('Cache-Control', peer.cacheControl);
  const operation = operationOf(request);
  if (operation) request.caller = peer.authenticate(request.headers, kindOf(operation));
  next();
});
await app.register(helmet, { ...peer.helmetOptions, global: true });
await app.register(rateLimit, {
  global: true,
  max: peer.unreachableLimit,
  timeWindow: peer.rateLimitWindowMilliseconds,
  cache: 10_000,
  enableDraftSpec: true,
  keyGenerator: (request) => request.caller?.credentialId ?? request.ip,
});
// After the rate limit, which is a hook of each route, and before the body is read.
app.addHook('preParsing', (request, reply, _payload, next) => {
  const operation = operationOf(request);
  const { caller } = request;
  if (!caller) {
    void reply.code(401).header('WWW-Authenticate', peer.challenge(kindOf(operation)));
    void reply.send(peer.refusalBody('request.authentication.invalid-token'));
    return;
  }
  const refusal = peer.missingRight(caller, operation?.requiredPermission, operation?.requiredFeature);
  if (refusal) void reply.code(403).send(refusal);
  else next();
});
app.addHook('onResponse', (request, reply, next) => {
  const { id: requestId, method } = request;
  const [operationId, credentialId] = [operationOf(request)?.operationId, request.caller?.credentialId];
  const [status, durationMs] = [reply.statusCode, reply.elapsedTime];
  logger.info({ requestId, method, operationId, status, durationMs, credentialId }, 'request completed');
  next();
});
app.setErrorHandler((error: { validation?: readonly AjvFault[] }, _request, reply) => {
  if (error.validation) return reply.code(400).send(peer.invalidBody(error.validation.map(faultOf)));
  logger.error({ err: error }, 'unexpected error');
  return reply.code(500).send(peer.refusalBody('service.internal-error'));
});

function faultOf({ instancePath, keyword, message = '', params }: AjvFault) {
  const named = params['missingProperty'] ?? params['additionalProperty'];
  return { field: typeof named === 'string' ? named : instancePath.slice(1), message, rule: keyword };
}

await app.register(openapiGlue, {
  // It takes an extension for a schema, and fails on null.
  specification: JSON.parse(peer.documentText, (key, value: unknown) =>
    key.startsWith('x-') && value === null ? undefined : value,
  ) as object,
  serviceHandlers: Object.fromEntries(
    Object.entries(peer.responders).map(([operationId, responder]) => [
      operationId,
      ({ caller, id, params, body }: FastifyRequest, reply: FastifyReply) => {
        const { id: caseId } = params as { id?: string };
        const [status, found] = responder({ caller: caller as peer.Caller, requestId: id, caseId, body });
        return reply.code(status).send(found);
      },
    ]),
  ),
});
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
