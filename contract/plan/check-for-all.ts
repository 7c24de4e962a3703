import fc from 'fast-check';
import { NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext } from '../run/model.ts';

const mostShrinkAttempts = 200;

/**
 * Checks a property against random inputs. Shrinks the first input that breaks it, in a bounded number of attempts.
 * @throws {Error} with the smallest input found and the seed that reproduces it
 * @throws {UnmetPreconditionError} if the check cannot decide about an input
 */
export async function checkForAll<Input>(
  { seed }: Pick<CheckContext, 'seed'>,
  numRuns: number,
  inputs: fc.Arbitrary<Input>,
  property: (input: Input) => Promise<void>,
): Promise<void> {
  let failed = false;
  let attempts = 0;
  let lost: NoResponseError | undefined;
  let unmet: UnmetPreconditionError | undefined;
  const details = await fc.check(
    fc.asyncProperty(inputs, async (input) => {
      if (lost || unmet || (failed && (attempts += 1) > mostShrinkAttempts)) return;
      try {
        await property(input);
      } catch (error) {
        if (error instanceof UnmetPreconditionError) {
          if (!failed) unmet = error;
          return;
        }
        failed = true;
        if (error instanceof NoResponseError) lost = error;
        throw error;
      }
    }),
    { seed, numRuns, endOnFailure: false },
  );
  if (unmet) throw unmet;
  if (!details.failed) return;
  const reason = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const counterexample = fc.stringify(details.counterexample?.[0]);
  const message = `${reason}; the smallest input found is ${counterexample}, again with --seed ${details.seed}`;
  throw lost ? new NoResponseError(message) : new Error(message);
}
