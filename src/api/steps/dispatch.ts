import type { Request, RequestHandler } from 'express';
import type { Principal } from '../../domain/principal.ts';
import type { Store } from '../../store/store.ts';
import { authorisationOf, type ChallengeOf } from './access.ts';
import { Refusal } from '../errors.ts';
import type { AnyOperationHandler, OperationContext } from '../operation.ts';
import { isPublic, operationOf, principalOf } from '../api-description.ts';
import { sendResponse } from '../send-response.ts';

/**
 * Runs the handler of the matched operation and sends its response. For an operation that is not safe (RFC 9110), each
 * transaction that writes checks the caller's rights again.
 */
export function dispatch(
  handlers: ReadonlyMap<string, AnyOperationHandler>,
  context: OperationContext & { readonly store: Store },
  { now, challengeOf }: { now: () => Date; challengeOf: ChallengeOf },
): RequestHandler {
  const contextOf = (request: Request, principal: Principal | undefined): OperationContext => {
    const operation = operationOf(request);
    if (!principal || operation.method === 'get') return context;
    const authorisation = authorisationOf(operation, principal, { unknown: () => challengeOf(request), now });
    return { ...context, store: context.store.authorisedBy(authorisation) };
  };
  return async (request, response, next) => {
    const operation = operationOf(request);
    const principal = isPublic(operation) ? undefined : principalOf(request);
    const handle = handlers.get(operation.operationId) as AnyOperationHandler;
    const { queryNames, headerNames } = operation;
    const outcome = await handle(
      {
        principal,
        path: request.params,
        query: queryNames.length === 0 ? nothing : pick(request.query, queryNames),
        headers: headerNames.length === 0 ? nothing : pick(request.headers, headerNames, (name) => name.toLowerCase()),
        body: request.body as unknown,
        requestId: request.id,
        now: now(),
      },
      contextOf(request, principal),
    );
    if (outcome instanceof Refusal) {
      next(outcome);
      return;
    }
    const sending = sendResponse(response, outcome, operation);
    if (sending) await sending;
  };
}

const nothing = Object.freeze({});

function pick(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
  keyOf = (name: string) => name,
): Record<string, unknown> {
  const given = names.filter((name) => values[keyOf(name)] !== undefined);
  return Object.fromEntries(given.map((name) => [name, values[keyOf(name)]]));
}
