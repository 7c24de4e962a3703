/** Checks that have passed run again with each request asked in another way. What fails is shrunk to the choices that it takes. */
import type { Choice } from '../dimensions/choice.ts';
import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import type { Check, CheckContext, RequestSpec } from '../run/model.ts';
import { inWays, isUnsent } from './asking.ts';
import { fewest } from './explore.ts';
import { isOfAnyServer, isOfInterface, promisedChoices, randomOf, waysOf } from './rows.ts';

/** In how many ways each relation is asked beside the plain one. */
const ways = { usual: 1, thorough: 6 };

/** Relations, each asked in a few ways. @param seed chooses the ways */
export function inOtherWays(checks: readonly Check[], document: ApiDocument, seed: number, thorough = false): Check[] {
  const [random, choices] = [randomOf(seed), promisedChoices(isOfAnyServer)];
  const count = thorough ? ways.thorough : ways.usual;
  return checks.map((check) => askedAlso(check, waysOf(choices, random, count, 1), document));
}

/** The checks of this API, of which those that say so are asked with every choice. @param seed combines the choices */
export function inAllWays(checks: readonly Check[], document: ApiDocument, seed: number): Check[] {
  const [random, choices] = [randomOf(seed), promisedChoices(isOfInterface)];
  return checks.map((check) =>
    check.inAllWays === true ? askedAlso(check, waysOf(choices, random, Infinity, 1), document) : check,
  );
}

function askedAlso(check: Check, rows: readonly (readonly Choice[])[], document: ApiDocument): Check {
  return {
    ...check,
    run: async (context) => {
      await check.run(context);
      for (const [way, row] of rows.entries())
        if (check.mayRunAgain?.() !== false) await runIn({ row, way }, check, context, document);
    },
  };
}

async function runIn(
  { row, way }: Readonly<{ row: readonly Choice[]; way: number }>,
  check: Check,
  context: CheckContext,
  document: ApiDocument,
) {
  const faultIn = async (asked: readonly Choice[]): Promise<Error | undefined> => {
    try {
      await check.run(askedIn(asked, way, context, document));
      return undefined;
    } catch (error) {
      // A budget that is spent, or a limit, says nothing of the choices.
      return isUnsent(error) || !(error instanceof Error) ? undefined : error;
    }
  };
  let fault = await faultIn(row);
  if (!fault) return;
  const kept = await fewest(row, async (fewer) => {
    const seen = fewer.length > 0 ? await faultIn(fewer) : undefined;
    fault = seen ?? fault;
    return seen !== undefined;
  });
  const alone = await faultIn([]);
  const only = alone ? 'but not each time' : `only with ${kept.map(({ name }) => name).join(' and ')}`;
  throw new Error(`${fault.message}, ${only}`, { cause: fault.cause });
}

function askedIn(row: readonly Choice[], way: number, context: CheckContext, document: ApiDocument): CheckContext {
  const call = (request: RequestSpec) =>
    context.call(inWays(request, row, matchOperation(document, request.method, request.path)).request);
  return new Proxy(context, {
    get: (target, name) => {
      if (name === 'call') return call;
      if (name === 'way') return way;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
