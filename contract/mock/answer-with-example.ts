import type { RequestHandler } from 'express';
import type { ErrorBody } from '../../src/api/errors.ts';
import type { OperationsRouter } from '../../src/api/operations-router.ts';
import { operationOf, principalOf } from '../../src/api/request-state.ts';
import { sendJson } from '../../src/api/send-json.ts';
import { choosingPreferences } from './choose-example.ts';
import type { DocumentedExample } from './documented-examples.ts';
import { type Preferences, readPreferences } from './prefer.ts';

/** What stands in an operation's place: its examples, and which of them answers a request. */
export interface ExampleChoice {
  readonly examples: readonly DocumentedExample[];
  readonly chosen: DocumentedExample | undefined;
}

/** Chooses among the examples of one operation by a request's preferences and body. */
export type ExampleHandler = (preferences: Preferences, body: unknown) => ExampleChoice;

/**
 * Answers a caller who was authenticated with an example of the document. A preference that no example fulfils is an
 * error of status 501, which the document's default answers allow: a mistyped one, if it were ignored as RFC 7240 has it,
 * would pass for a success.
 */
export function answerWithExample(router: OperationsRouter<ExampleHandler>): RequestHandler {
  return (request, response) => {
    principalOf(request);
    const preferences = readPreferences(request.headers['prefer']?.toString());
    const { operationId } = operationOf(request);
    const { examples, chosen } = router.handler(operationId)(preferences, request.body);
    if (!chosen) {
      sendJson(response, 501, noSuchExample(operationId, examples));
      return;
    }
    const applied = choosingPreferences.flatMap((name) => {
      const value = preferences.get(name);
      return value === undefined ? [] : [`${name}=${value}`];
    });
    sendJson(response, chosen.status, chosen.body, {
      ...chosen.headers,
      'X-Request-Id': request.id,
      ...(applied.length > 0 && { 'Preference-Applied': applied.join(', ') }),
    });
  };
}

function noSuchExample(operationId: string, examples: readonly DocumentedExample[]): ErrorBody {
  return {
    error_code: 'service.internal-error',
    error_message: `The mock has no such example of ${operationId}. Ask with Prefer for one of error_details.examples.`,
    error_details: { field: 'Prefer', examples: examples.map(({ status, name }) => `code=${status}, example=${name}`) },
  };
}
