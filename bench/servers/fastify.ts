/** Fastify as its users write it: fastify-openapi-glue on the same document, Fastify's plugins, and a store of its own. */
import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { type OperationId, operations } from '../../generated/operations.ts';
import {
  authenticate,
  cacheControl,
  type Caller,
  challenge,
  createLogger,
  documentText,
  helmetOptions,
  invalidBody,
  rateLimitWindowMilliseconds,
  refusalBody,
  unreachableLimit,
} from '../peers/peer.ts';
import { store } from '../peers/peer-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
}

interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Record<string, unknown>;
}

const logger = createLogger();
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
  reply.header('Cache-Control', cacheControl);
  const operation = operationOf(request);
  if (operation) request.caller = authenticate(request.headers, kindOf(operation));
  next();
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
  const { id: requestId, method } = request;
  const [operationId, credentialId] = [operationOf(request)?.operationId, request.caller?.credentialId];
  const [status, durationMs] = [reply.statusCode, reply.elapsedTime];
  logger.info({ requestId, method, operationId, status, durationMs, credentialId }, 'request completed');
  next();
});
app.setErrorHandler((error: { validation?: readonly AjvFault[] }, _request, reply) => {
  if (error.validation) return reply.code(400).send(invalidBody(error.validation.map(faultOf)));
  logger.error({ err: error }, 'unexpected error');
  return reply.code(500).send(refusalBody('service.internal-error'));
});

function faultOf({ instancePath, keyword, message = '', params }: AjvFault) {
  const named = params['missingProperty'] ?? params['additionalProperty'];
  return { field: typeof named === 'string' ? named : instancePath.slice(1), message, rule: keyword };
}

const callerOf = ({ caller }: FastifyRequest): Caller => {
  if (!caller) throw new Error('Nobody was authenticated for this request.');
  return caller;
};
await app.register(openapiGlue, {
  // It takes an extension for a schema, and fails on null.
  specification: JSON.parse(documentText, (key, value: unknown) =>
    key.startsWith('x-') && value === null ? undefined : value,
  ) as object,
  serviceHandlers: {
    getVerificationSetting: (request: FastifyRequest, reply: FastifyReply) =>
      reply.send({ enabled: store.readSetting(callerOf(request).organisationId) }),
    updateVerificationSetting: (request: FastifyRequest, reply: FastifyReply) => {
      const { enabled } = request.body as { enabled: boolean };
      store.changeSetting({ ...callerOf(request), enabled, requestId: request.id });
      return reply.send({ enabled });
    },
    getCase: (request: FastifyRequest, reply: FastifyReply) => {
      const { id } = request.params as { id: string };
      const found = store.readCase(callerOf(request).organisationId, id.toLowerCase());
      return found ? reply.send(found) : reply.code(404).send(refusalBody('request.cases.case.not-found'));
    },
  },
});
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
