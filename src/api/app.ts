import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../runtime/config.ts';
import {
  authorise,
  challengesOf,
  identify,
  type RecordUse,
  presentationsOf,
  principalsOf,
  requirePrincipal,
} from './steps/access.ts';
import { type Application, bindHandlers, createApplication } from './application.ts';
import { requireValidHttp, requestId, takeTraceContext } from './steps/arrival.ts';
import { dispatch } from './steps/dispatch.ts';
import { serveDocs } from './steps/serve-docs.ts';
import { errorHandler } from './steps/error-handler.ts';
import { refuseUnmatched } from './steps/refuse-unmatched.ts';
import { type ApiDescription, operationsOf, ownApi } from './api-description.ts';
import type { AnyOperationHandler } from './operation.ts';
import type { ContentStore } from '../files/content-store.ts';
import { refuseOverload } from './steps/overload.ts';
import { rateLimit } from './steps/rate-limit.ts';
import { readBody } from './steps/read-body.ts';
import { requestLog } from './steps/request-log.ts';
import { serveThumbnails } from './steps/serve-thumbnails.ts';
import { validate } from './steps/validate.ts';
import { handlers } from './operations/index.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import type { Store } from '../store/store.ts';

type AnyOperationHandlers = Readonly<Record<string, AnyOperationHandler>>;

/** The dependencies of the application, injected for tests. */
export interface Dependencies {
  readonly config: Pick<
    Config,
    'region' | 'rateLimits' | 'trustedProxies' | 'identityProvider' | 'maxConcurrentRequests' | 'allowedOrigins'
  >;
  readonly store: Store;
  readonly rateLimitStore: RateLimitStore;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Called each time a valid credential of the store is presented. */
  readonly recordUse?: RecordUse | undefined;
  /** Steps that see each request and change none: metrics and traces, if they are wanted. */
  readonly observers?: readonly RequestHandler[];
  /** The folder of the built documentation; without one its paths are unknown like any other. */
  readonly docsFolder?: string | undefined;
  /** The folder of thumbnails; without one their paths are unknown. */
  readonly thumbnailFolder?: string | undefined;
  /** The content of files, for operations that send it. */
  readonly files?: ContentStore | undefined;
  /** The API to serve; tests can replace it. */
  readonly api?: (ApiDescription & { readonly handlers: AnyOperationHandlers }) | undefined;
}

/** Builds the application: the steps of a request's way, in their order (decision D11). */
export async function createApp({
  config,
  store,
  rateLimitStore,
  logger,
  now,
  recordUse,
  observers = [],
  docsFolder,
  thumbnailFolder,
  files,
  api = { ...ownApi, handlers: handlers as unknown as AnyOperationHandlers },
}: Dependencies): Promise<Application> {
  const { region, identityProvider, allowedOrigins } = config;
  const operations = operationsOf(api);
  const bound = await bindHandlers(api.operations, api.handlers);
  const presentations = presentationsOf(api.securitySchemes);
  const challengeOf = challengesOf(presentations, region);
  const findTokenBearer =
    identityProvider &&
    (await import('../identity-provider/access-token.ts')).acceptTokensOf(identityProvider, { store, logger, now });
  const crossOrigin =
    allowedOrigins.length === 0
      ? []
      : [(await import('./steps/allow-origins.ts')).allowOrigins(allowedOrigins, operations.values())];
  // Shared, so that they count every request.
  const shared = {
    refuseOverload: refuseOverload(config.maxConcurrentRequests),
    rateLimit: rateLimit(config, rateLimitStore),
  };
  return createApplication(operations.values(), {
    arrival: [requestId, takeTraceContext, ...observers, requestLog(logger), requireValidHttp, ...crossOrigin],
    operation: [
      shared.refuseOverload,
      identify(presentations, principalsOf(region, store, { now, recordUse, findTokenBearer }), bound),
      shared.rateLimit,
      requirePrincipal(challengeOf),
      authorise,
      readBody,
      validate(api.requestRules),
      dispatch(bound, { store, region, version: api.version, files }, { now, challengeOf }),
    ],
    otherwise: [
      shared.refuseOverload,
      shared.rateLimit,
      ...(docsFolder === undefined ? [] : [serveDocs(docsFolder)]),
      ...(thumbnailFolder === undefined ? [] : [serveThumbnails(thumbnailFolder)]),
      refuseUnmatched,
    ],
    failure: errorHandler(logger),
  });
}
