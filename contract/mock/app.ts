import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { OperationId } from '../../generated/operations.ts';
import type { Config } from '../../src/runtime/config.ts';
import { contractDocument } from '../document/document.ts';
import { type Application, createApplication } from '../../src/api/application.ts';
import { type FindPrincipal, identify, requirePrincipal } from '../../src/api/steps/authenticate.ts';
import { requireValidHttp } from '../../src/api/steps/canonical-request.ts';
import { errorHandler } from '../../src/api/steps/error-handler.ts';
import { findOperation } from '../../src/api/steps/find-operation.ts';
import { createOperationsRouter } from '../../src/api/operations-router.ts';
import { readBody } from '../../src/api/steps/read-body.ts';
import { requestId } from '../../src/api/steps/request-id.ts';
import { requestLog } from '../../src/api/steps/request-log.ts';
import { validate } from '../../src/api/steps/validate.ts';
import { answerWithExample, type ExampleHandler } from './answer-with-example.ts';
import { chooseExample } from './choose-example.ts';
import { documentedExamples } from './documented-examples.ts';

/**
 * Builds an application that answers with the document's examples. A request goes the real server's way, so what is
 * wrong with it is refused as there; but any credential of the right scheme is accepted, it may do everything, no limit
 * is counted, and nothing is stored.
 */
export async function createMockApp({
  region,
  logger,
}: {
  region: Config['region'];
  logger: Logger;
}): Promise<Application> {
  const router = await createOperationsRouter(exampleHandlers());
  return createApplication([
    requestId,
    requestLog(logger),
    requireValidHttp,
    findOperation(router),
    identify(anybody),
    stateRateLimit,
    requirePrincipal(region),
    readBody,
    validate(),
    answerWithExample(router),
    errorHandler(logger),
  ]);
}

function exampleHandlers(): Record<OperationId, ExampleHandler> {
  const handlers = [...documentedExamples].map(([operationId, examples]): [string, ExampleHandler] => [
    operationId,
    (preferences, body) => ({ examples, chosen: chooseExample(examples, preferences, body) }),
  ]);
  return Object.fromEntries(handlers) as Record<OperationId, ExampleHandler>;
}

const anybody: FindPrincipal = (secret) =>
  Promise.resolve(
    secret === ''
      ? undefined
      : { credentialId: 'mock', organisationId: 'mock', permissions: new Set(), features: new Set() },
  );

const stateRateLimit: RequestHandler = (_request, response, next) => {
  for (const name of ['RateLimit-Policy', 'RateLimit'])
    response.setHeader(name, String(contractDocument.components.headers[name]?.example));
  next();
};
