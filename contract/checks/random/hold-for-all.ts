import fc from 'fast-check';
import { answerViolations } from '../../conformance/response.ts';
import { NoAnswerError } from '../../run/http-client.ts';
import type { Answer, CheckContext, RequestSpec } from '../../run/model.ts';

const mostShrinkAttempts = 200;

/** Sends a request; an answer that breaks the document throws, so that the input that provoked it is shrunk. */
export type ConformingCall = (request: RequestSpec) => Promise<Answer>;

/**
 * Holds a property against random inputs, and shrinks the first that breaks it within a bounded number of attempts.
 * @throws {Error} with the smallest input found and the seed that finds it again
 */
export async function holdForAll<Input>(
  context: CheckContext,
  numRuns: number,
  inputs: fc.Arbitrary<Input>,
  property: (input: Input, call: ConformingCall) => Promise<void>,
): Promise<void> {
  let failed = false;
  let attempts = 0;
  let lost: NoAnswerError | undefined;
  const details = await fc.check(
    fc.asyncProperty(inputs, async (input) => {
      if (lost || (failed && (attempts += 1) > mostShrinkAttempts)) return;
      try {
        await property(input, (request) => callConforming(context, request));
      } catch (error) {
        failed = true;
        if (error instanceof NoAnswerError) lost = error;
        throw error;
      }
    }),
    { seed: context.seed, numRuns, endOnFailure: false },
  );
  if (!details.failed) return;
  const reason = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const counterexample = fc.stringify(details.counterexample?.[0]);
  const message = `${reason}; the smallest input found is ${counterexample}, again with --seed ${details.seed}`;
  throw lost ? new NoAnswerError(message) : new Error(message);
}

/** Fields beyond the document are judged by the session alone, which knows whether the target may add some. */
async function callConforming(context: CheckContext, request: RequestSpec): Promise<Answer> {
  const answer = await context.call(request);
  const violations = answerViolations(request.method, request.path, answer, { allowExtraFields: true });
  if (violations.length > 0) throw new Error(violations.map(({ message }) => message).join('; '));
  return answer;
}
