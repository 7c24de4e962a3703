import type { RequestHandler } from 'express';
import type { OperationId } from '../../generated/operations.js';
import { Refusal } from '../errors.js';
import { JsonText } from '../json-text.js';
import type { AnyOperationHandler, OperationHandlers, OperationRequest } from '../operations/operation.js';
import type { OperationStore } from '../store/store.js';
import type { OperationsRouter } from './operations-router.js';
import { operationOf, principalOf } from './request-state.js';
import { sendJson, sendJsonText } from './send-json.js';

/** Runs the handler bound to the matched operation and sends its answer. */
export function dispatch(
  router: OperationsRouter<OperationHandlers[OperationId]>,
  store: OperationStore,
  now: () => Date,
): RequestHandler {
  return async (request, response, next) => {
    const input = {
      principal: principalOf(request),
      pathParameters: request.pathParameters,
      body: request.body as unknown,
      requestId: request.id,
      now: now(),
    };
    const handler = router.handler(operationOf(request).operationId) as AnyOperationHandler;
    const answer = await handler(input as OperationRequest<OperationId>, store);
    if (answer instanceof Refusal) {
      next(answer);
      return;
    }
    if (answer.body instanceof JsonText) await sendJsonText(response, answer.status, answer.body);
    else sendJson(response, answer.status, answer.body);
  };
}
