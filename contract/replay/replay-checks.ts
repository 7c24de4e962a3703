/** Replays every documented response without Dredd; replay.ts does so with Dredd. */
import { isDeepStrictEqual } from 'node:util';
import { expectStatus, expectSuccess } from '../plan/expect.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import type { ApiDocument } from '../document/model.ts';
import type { Check, CheckContext, HttpResponse, Target } from '../run/model.ts';
import { sendPastQuota } from './exhaust-quota.ts';
import { type ReplayCase, replayCases } from './replay-case.ts';
import { failStore, type ProvokedResponse, provoke, requestOf } from './scenarios.ts';

/** A check for each documented response: its scenario provokes the response, which must match the document. */
export function replayChecks(document: ApiDocument): Check[] {
  return replayCases(document).map((documented) => {
    const provoked = provoke(documented, document);
    const isKnown = typeof provoked !== 'string';
    return {
      ...describeReplay(documented),
      needs: isKnown ? provoked.needs : [],
      ...(isKnown && provoked.usesUp && { usesUp: provoked.usesUp }),
      ...(isKnown ? { guessed: provoked.baseline.guessed } : { cannotRun: provoked }),
      ...(documented.operation.method === 'delete' && { removes: documented.operation.path }),
      ...(documented.status === '401' && { failsToAuthenticate: 'once' as const }),
      run: async (context) => {
        if (isKnown) await replay(documented, provoked, context);
      },
    };
  });
}

/** Describes a replay, with or without Dredd. */
export function describeReplay({ label, operation, status }: ReplayCase) {
  return {
    id: `replay.${label}`,
    layer: 'replay' as const,
    source: 'document' as const,
    operation: operation.operationId,
    title: `${operation.operationId} returns ${status} as the document says`,
    rules: [],
  };
}

async function replay(documented: ReplayCase, provoked: ProvokedResponse, context: CheckContext): Promise<void> {
  const { scenario } = provoked;
  const request = requestOf(provoked, context.credentials);
  if (scenario.given === 'repeated') await context.call(request);
  const healStore = await failStore(scenario, context.operator);
  let response: HttpResponse;
  try {
    const send = () => context.call(request);
    response = await (scenario.given === 'exhausted-quota' ? sendPastQuota(send) : send());
  } finally {
    await healStore?.();
  }
  if (scenario.insteadOf?.includes(response.status) === true)
    throw new UnmetPreconditionError(`the server responds ${response.status}, which is documented too`);
  if (!provoked.baseline.isOwn && scenario.status === provoked.baseline.success)
    expectSuccess({ ...provoked.baseline, gone: [] }, response);
  else expectStatus(response, scenario.status ?? Number(documented.status));
  const fault = exampleFault(documented, scenario.example, response.text, context);
  if (fault !== undefined) throw new Error(fault);
}

/**
 * Only the project's own server must respond with the exact example; another one may use other words in its messages.
 */
export function exampleFault(
  { examples }: ReplayCase,
  name: string | undefined,
  body: string,
  { respondsWithExamples }: Pick<Target, 'respondsWithExamples'>,
): string | undefined {
  if (name === undefined) return undefined;
  if (examples[name] === undefined) return `the document has no example ${name} of this response`;
  if (respondsWithExamples !== true || isDeepStrictEqual(parsed(body), examples[name])) return undefined;
  return `the body is not the documented example ${name}`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
