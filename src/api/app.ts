import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../runtime/config.ts';
import { authorise } from './steps/authorise.ts';
import { identify, principalsOf, requirePrincipal } from './steps/authenticate.ts';
import { type Application, createApplication } from './application.ts';
import { requireValidHttp } from './steps/canonical-request.ts';
import { dispatch } from './steps/dispatch.ts';
import { serveDocs } from './steps/serve-docs.ts';
import { errorHandler } from './steps/error-handler.ts';
import { findOperation } from './steps/find-operation.ts';
import { createOperationsRouter } from './operations-router.ts';
import { refuseOverload } from './steps/overload.ts';
import { rateLimit } from './steps/rate-limit.ts';
import { readBody } from './steps/read-body.ts';
import { requestId } from './steps/request-id.ts';
import { requestLog } from './steps/request-log.ts';
import { serveThumbnails } from './steps/serve-thumbnails.ts';
import { takeTraceContext } from './steps/trace-context.ts';
import { validate } from './steps/validate.ts';
import { handlers } from './operations/index.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import type { OperationStore } from '../store/store.ts';

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
    (await import('../identity-provider/access-token.ts')).acceptTokensOf(identityProvider, { store, logger, now });
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
