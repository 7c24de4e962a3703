import type { RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { authorise } from './http/authorise.js';
import { identify, requirePrincipal } from './http/authenticate.js';
import { canonicaliseRequest, requireValidHttp } from './http/canonical-request.js';
import { dispatch } from './http/dispatch.js';
import { errorHandler } from './http/error-handler.js';
import { findOperation } from './http/find-operation.js';
import { createOperationsRouter } from './http/operations-router.js';
import { refuseOverload } from './http/overload.js';
import { rateLimit } from './http/rate-limit.js';
import { readBody } from './http/read-body.js';
import { requestId } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import { takeTraceContext } from './http/trace-context.js';
import { validate } from './http/validate.js';
import { acceptTokensOf } from './identity-provider/access-token.js';
import { handlers } from './operations/index.js';
import type { RateLimitStore } from './rate-limits/rate-limit-store.js';
import type { OperationStore } from './store/store.js';

/** All that the application depends on, so that a test can decide it. */
export interface Dependencies {
  readonly config: Pick<
    Config,
    'region' | 'rateLimits' | 'trustedProxies' | 'identityProvider' | 'maxConcurrentRequests'
  >;
  readonly store: OperationStore;
  readonly rateLimitStore: RateLimitStore;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Steps that see each request and change none: metrics and traces, if they are wanted. */
  readonly observers?: readonly RequestHandler[];
}

/** Builds the application: the steps of a request's way, in their order (decision D11). */
export async function createApp({
  config,
  store,
  rateLimitStore,
  logger,
  now,
  observers = [],
}: Dependencies): Promise<RequestListener> {
  const router = await createOperationsRouter(handlers);
  const { region, identityProvider } = config;
  const findTokenBearer = identityProvider && acceptTokensOf(identityProvider, { store, logger, now });
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(requestId);
  app.use(takeTraceContext);
  for (const observer of observers) app.use(observer);
  app.use(requestLog(logger));
  app.use(requireValidHttp);
  app.use(findOperation(router));
  app.use(refuseOverload(config.maxConcurrentRequests));
  app.use(identify(region, store, now, findTokenBearer));
  app.use(rateLimit(config, rateLimitStore));
  app.use(requirePrincipal(region));
  app.use(authorise);
  app.use(readBody);
  app.use(validate());
  app.use(dispatch(router, store, now));
  app.use(errorHandler(logger));
  return (request, response) => {
    canonicaliseRequest(request);
    void app(request, response);
  };
}
