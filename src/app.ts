import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { authorise } from './http/authorise.js';
import { identify, principalsOf, requirePrincipal } from './http/authenticate.js';
import { createApplication } from './http/application.js';
import { requireValidHttp } from './http/canonical-request.js';
import { dispatch } from './http/dispatch.js';
import { serveDocs } from './http/docs.js';
import { errorHandler } from './http/error-handler.js';
import { findOperation } from './http/find-operation.js';
import { createOperationsRouter } from './http/operations-router.js';
import { rateLimit } from './http/rate-limit.js';
import { readBody } from './http/read-body.js';
import { requestId } from './http/request-id.js';
import { requestLog } from './http/request-log.js';
import { validate } from './http/validate.js';
import { handlers } from './operations/index.js';
import type { OperationStore } from './store/store.js';

/** All that the application depends on, so that a test can decide it. */
export interface Dependencies {
  readonly config: Pick<Config, 'region' | 'rateLimits'>;
  readonly store: OperationStore;
  readonly logger: Logger;
  readonly now: () => Date;
  /** The folder of the built documentation; without one its paths are unknown like any other. */
  readonly docsFolder?: string | undefined;
}

/** Builds the application: the steps of a request's way, in their order (decision D11). */
export async function createApp({ config, store, logger, now, docsFolder }: Dependencies): Promise<RequestListener> {
  const router = await createOperationsRouter(handlers);
  return createApplication([
    requestId,
    requestLog(logger),
    requireValidHttp,
    ...(docsFolder === undefined ? [] : [serveDocs(docsFolder)]),
    findOperation(router),
    identify(principalsOf(config.region, store, now)),
    rateLimit(config.rateLimits),
    requirePrincipal(config.region),
    authorise,
    readBody,
    ...validate(),
    dispatch(router, store, now),
    errorHandler(logger),
  ]);
}
