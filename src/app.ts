import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { authorise } from './http/authorise.ts';
import { identify, principalsOf, requirePrincipal } from './http/authenticate.ts';
import { type Application, createApplication } from './http/application.ts';
import { requireValidHttp } from './http/canonical-request.ts';
import { dispatch } from './http/dispatch.ts';
import { serveDocs } from './http/docs.ts';
import { errorHandler } from './http/error-handler.ts';
import { findOperation } from './http/find-operation.ts';
import { createOperationsRouter } from './http/operations-router.ts';
import { refuseOverload } from './http/overload.ts';
import { rateLimit } from './http/rate-limit.ts';
import { readBody } from './http/read-body.ts';
import { requestId } from './http/request-id.ts';
import { requestLog } from './http/request-log.ts';
import { serveThumbnails } from './http/thumbnails.ts';
import { takeTraceContext } from './http/trace-context.ts';
import { validate } from './http/validate.ts';
import { handlers } from './operations/index.ts';
import type { RateLimitStore } from './rate-limits/rate-limit-store.ts';
import type { OperationStore } from './store/store.ts';

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
    (await import('./identity-provider/access-token.ts')).acceptTokensOf(identityProvider, { store, logger, now });
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
