import fc from 'fast-check';
import { responseViolations } from '../../conformance/response.ts';
import { NoResponseError } from '../../run/http-client.ts';
import type { HttpResponse, CheckContext, RequestSpec } from '../../run/model.ts';

const mostShrinkAttempts = 200;

/** Sends a request; a response that breaks the document throws, so that the input that provoked it is shrunk. */
export type ConformingCall = (request: RequestSpec) => Promise<HttpResponse>;

/**
 * Checks a property against random inputs, and shrinks the first that breaks it within a bounded number of attempts.
 * @throws {Error} with the smallest input found and the seed that finds it again
 */
export async function checkForAll<Input>(
  context: CheckContext,
  numRuns: number,
  inputs: fc.Arbitrary<Input>,
  property: (input: Input, call: ConformingCall) => Promise<void>,
): Promise<void> {
  let failed = false;
  let attempts = 0;
  let lost: NoResponseError | undefined;
  const details = await fc.check(
    fc.asyncProperty(inputs, async (input) => {
      if (lost || (failed && (attempts += 1) > mostShrinkAttempts)) return;
      try {
        await property(input, (request) => callConforming(context, request));
      } catch (error) {
        failed = true;
        if (error instanceof NoResponseError) lost = error;
        throw error;
      }
    }),
    { seed: context.seed, numRuns, endOnFailure: false },
  );
  if (!details.failed) return;
  const reason = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const counterexample = fc.stringify(details.counterexample?.[0]);
  const message = `${reason}; the smallest input found is ${counterexample}, again with --seed ${details.seed}`;
  throw lost ? new NoResponseError(message) : new Error(message);
}

/** Fields beyond the document are judged by the session alone, which knows whether the target may add some. */
async function callConforming(context: CheckContext, request: RequestSpec): Promise<HttpResponse> {
  const response = await context.call(request);
  const violations = responseViolations(request.method, request.path, response, {
    allowExtraFields: true,
    ...(context.document && { document: context.document }),
  });
  if (violations.length > 0) throw new Error(violations.map(({ message }) => message).join('; '));
  return response;
}
