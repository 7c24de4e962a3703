import type { RequestHandler } from 'express';
import type { OperationId } from '../../../generated/operations.ts';
import { Refusal } from '../errors.ts';
import { JsonText } from '../../store/json-text.ts';
import type { AnyOperationHandler, OperationHandlers, OperationRequest } from '../operation.ts';
import type { OperationStore } from '../../store/store.ts';
import type { OperationsRouter } from '../operations-router.ts';
import { operationOf, principalOf } from '../request-state.ts';
import { sendJson, sendJsonText } from '../send-json.ts';

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
