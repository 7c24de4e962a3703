import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { authorise } from './http/authorise.js';
import { identify, principalsOf, requirePrincipal } from './http/authenticate.js';
import { type Application, createApplication } from './http/application.js';
import { requireValidHttp } from './http/canonical-request.js';
import { dispatch } from './http/dispatch.js';
import { serveDocs } from './http/docs.js';
import { errorHandler } from './http/error-handler.js';
import { findOperation } from './http/find-operation.js';
import { createOperationsRouter } from './http/operations-router.js';
import { refuseOverload } from './http/overload.js';
import { rateLimit } from './http/rate-limit.js';
import { readBody } from './http/read-body.js';
import { requestId } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import { serveThumbnails } from './http/thumbnails.js';
import { takeTraceContext } from './http/trace-context.js';
import { validate } from './http/validate.js';
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
  /** The folder of the built documentation; without one its paths are unknown like any other. */
  readonly docsFolder?: string | undefined;
  /** The folder of thumbnails; without one their paths are unknown. */
  readonly thumbnailFolder?: string | undefined;
}

/** Builds the application: the steps of a request's way, in their order (decision D11). */
export async function createApp({
  config,
  store,
  rateLimitStore,
  logger,
  now,
  observers = [],
  docsFolder,
  thumbnailFolder,
}: Dependencies): Promise<Application> {
  const router = await createOperationsRouter(handlers);
  const { region, identityProvider } = config;
  const findTokenBearer =
    identityProvider &&
    (await import('./identity-provider/access-token.js')).acceptTokensOf(identityProvider, { store, logger, now });
  return createApplication([
    requestId,
    takeTraceContext,
    ...observers,
    requestLog(logger),
    requireValidHttp,
    ...(docsFolder === undefined ? [] : [serveDocs(docsFolder)]),
    ...(thumbnailFolder === undefined ? [] : [serveThumbnails(thumbnailFolder)]),
    findOperation(router),
    refuseOverload(config.maxConcurrentRequests),
    identify(principalsOf(region, store, now, findTokenBearer)),
    rateLimit(config, rateLimitStore),
    requirePrincipal(region),
    authorise,
    readBody,
    validate(),
    dispatch(router, store, now),
    errorHandler(logger),
  ]);
}
